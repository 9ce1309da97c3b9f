import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = join(PACKAGE, 'docs-page');
const VIEWER = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
/** Where the build is served and packed from. */
export const OUTPUT = join(PACKAGE, 'dist/docs-page');

/** What the page loads, in the place where its document names it. */
const ASSETS: Readonly<Record<string, string>> = {
  'viewer.css': join(VIEWER, 'swagger-ui.css'),
  'page.css': join(SOURCES, 'page.css'),
  'viewer.js': join(VIEWER, 'swagger-ui-bundle.js'),
  'start.js': join(SOURCES, 'start.js'),
};
const LICENSES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

/** Whether a folder has the build of the files as they are now. */
export async function isBuilt(output: string): Promise<boolean> {
  const built = await readFile(join(output, 'index.html'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  return built === (await read()).document;
}

/** Builds the page into a folder, which is exchanged as a whole once that is done. */
export async function buildDocsPage(output: string): Promise<void> {
  const { document, assets, licenses } = await read();
  const made = `${output}-${process.pid}`;
  await mkdir(join(made, 'assets'), { recursive: true });
  await writeFile(join(made, 'index.html'), document);
  for (const [name, text] of assets) await writeFile(join(made, 'assets', name), text);
  await writeFile(join(made, 'assets/licenses.txt'), licenses);
  await rm(output, { recursive: true, force: true });
  await rename(made, output);
}

/** The names of assets change with their contents, so that browsers may keep them for good. */
async function read() {
  let document = await readFile(join(SOURCES, 'index.html'), 'utf8');
  const assets: [name: string, text: string][] = [];
  for (const [name, path] of Object.entries(ASSETS)) {
    const text = (await readFile(path, 'utf8')).replace(
      /\n(?:\/\/|\/\*)# sourceMappingURL=.*\n?$/,
      '\n',
    );
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
    const hashed = name.replace(/\.\w+$/, `-${hash}${extname(name)}`);
    document = document.replace(`/docs/assets/${name}`, `/docs/assets/${hashed}`);
    assets.push([hashed, text]);
  }
  const texts = await Promise.all(LICENSES.map((name) => readFile(join(VIEWER, name), 'utf8')));
  return { document, assets, licenses: texts.join('\n') };
}
