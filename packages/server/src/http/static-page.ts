import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ConnectorError } from '@patchbay/connectors';
import type { Answer } from './route.ts';
import { SharedText } from './shared-text.ts';

/** A file of a page, as it goes out. All of them are texts. */
export interface PageFile {
  readonly shared: SharedText;
  /** Content type. */
  readonly type: string;
}

/** For files whose name changes with their contents. */
const ASSET_HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=31536000, immutable',
};

/** A built page: one document, and what it loads. */
export interface StaticPage {
  readonly document: PageFile;
  /** By file name. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/**
 * Reads a built page into memory: its files are few and small, and a build that replaces them never
 * shows half of each.
 *
 * @param folder Absolute path of a folder with `index.html` and `assets`.
 * @returns Nothing where there is no such page.
 */
export async function loadStaticPage(folder: string): Promise<StaticPage | undefined> {
  const assets = join(folder, 'assets');
  try {
    const names = (await readdir(assets)).filter((name) => extname(name) in TYPES);
    const files = await Promise.all(
      names.map(async (name) => [name, await loadFile(join(assets, name))] as const),
    );
    return { document: await loadFile(join(folder, 'index.html')), assets: new Map(files) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A file of a page as an answer. */
export function pageAnswer(
  { shared, type }: PageFile,
  headers: Answer['headers'] & object,
): Answer {
  return { status: 200, shared, type, headers };
}

/** @throws `route_not_found`. */
export function assetAnswer({ assets }: StaticPage, name: string | undefined): Answer {
  const asset = assets.get(name ?? '');
  if (asset === undefined)
    throw new ConnectorError('route_not_found', {}, { message: 'There is no such file.' });
  return pageAnswer(asset, ASSET_HEADERS);
}

async function loadFile(path: string): Promise<PageFile> {
  return {
    shared: new SharedText(await readFile(path, 'utf8')),
    type: TYPES[extname(path)] ?? 'text/plain; charset=utf-8',
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
