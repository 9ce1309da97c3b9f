import { injectedError } from '../injected-error.ts';
import type { Shaping } from '../fault-board.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { fileBytes, readRange } from './files.ts';
import type { StoredFile } from './files.ts';
import { articleFile } from './seeded-articles.ts';
import { fileIdOfToken, ticketFile } from './seeded-conversations.ts';
import type { SupportWorld } from './world.ts';

interface FoundFile {
  readonly id: number;
  readonly file: StoredFile;
}

/** A request for a file. */
export interface FileCall extends UpstreamCall {
  readonly found: FoundFile | undefined;
  /** The path that was asked for. */
  readonly path: string;
  readonly range: string | undefined;
}

const TOKEN_METHOD = 'GET /attachments/token/{token}';
const ARTICLE_METHOD = 'GET /hc/article_attachments/{attachment_id}';
const HOST_METHOD = 'GET /files/{file}';

/**
 * The addresses that attachments give for their files. They are on the account's own host, outside
 * its API, and redirect to the file host, as Zendesk's do.
 *
 * @see https://developer.zendesk.com/documentation/ticketing/managing-tickets/working-with-url-properties/
 */
export class FileAddresses implements Upstream<FileCall> {
  readonly basePath: string;
  readonly #world: SupportWorld;
  readonly #fileHostUrl: string;

  constructor(basePath: string, world: SupportWorld, fileHostUrl: string) {
    this.basePath = basePath;
    this.#world = world;
    this.#fileHostUrl = fileHostUrl;
  }

  read(request: IncomingRequest): FileCall {
    const { path } = request;
    const token = /^attachments\/token\/([^/]+)\/?$/.exec(path)?.[1];
    const articleFileId = /^hc\/article_attachments\/(\d{1,15})(?:\/|$)/.exec(path)?.[1];
    const id =
      token === undefined ? Number(articleFileId ?? 0) : (fileIdOfToken(this.#world, token) ?? 0);
    const method =
      token !== undefined ? TOKEN_METHOD : articleFileId === undefined ? '' : ARTICLE_METHOD;
    return fileCall(request, { method, found: findFile(this.#world, id), redirects: true });
  }

  answer({ found, path }: FileCall, shaping: readonly Shaping[]): UpstreamAnswer {
    const refused = refusal(shaping);
    if (refused !== undefined) return refused;
    if (found === undefined) return plain(404, 'There is no such file.');
    const { id, file } = found;
    const onHost = `files/${String(id)}/${encodeURIComponent(file.name)}`;
    let location = `${this.#fileHostUrl}/${onHost}`;
    for (const { fault } of shaping) {
      if (fault.kind !== 'redirect') continue;
      location = misleading(fault.to, {
        here: `${this.#world.siteUrl}/${path}`,
        fileHostUrl: this.#fileHostUrl,
        onHost,
      });
    }
    const page = plain(302, `You are being redirected to ${location}`);
    return { ...page, headers: [...page.headers, 'location', location] };
  }

  rateLimited(_call: FileCall, retryAfterSeconds: number): UpstreamAnswer {
    return slowDown(retryAfterSeconds);
  }

  failed(_call: FileCall, status: number): UpstreamAnswer {
    return plain(status, 'Something went wrong.');
  }
}

/** The host that serves the files, on an origin of its own. It asks for no credentials. */
export class FileHost implements Upstream<FileCall> {
  readonly basePath = '';
  readonly #world: SupportWorld;

  constructor(world: SupportWorld) {
    this.#world = world;
  }

  read(request: IncomingRequest): FileCall {
    const id = /^files\/(\d{1,15})(?:\/|$)/.exec(request.path)?.[1];
    return fileCall(request, {
      method: id === undefined ? '' : HOST_METHOD,
      found: findFile(this.#world, Number(id ?? 0)),
      redirects: false,
    });
  }

  answer({ found, range: rangeHeader }: FileCall, shaping: readonly Shaping[]): UpstreamAnswer {
    const refused = refusal(shaping);
    if (refused !== undefined) return refused;
    if (found === undefined) return plain(404, 'There is no such file.');
    const { id, file } = found;
    const range = readRange(rangeHeader, file.size);
    const size = String(file.size);
    if (range === undefined) {
      const refusedRange = plain(416, 'The file has no such bytes.');
      return {
        ...refusedRange,
        headers: [...refusedRange.headers, 'content-range', `bytes */${size}`],
      };
    }
    const { start, end } = range;
    const isPart = end - start < file.size;
    return {
      status: isPart ? 206 : 200,
      headers: [
        'content-type',
        file.contentType,
        'content-disposition',
        `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
        'accept-ranges',
        'bytes',
        'cache-control',
        'private, max-age=300',
        ...(isPart ? ['content-range', `bytes ${String(start)}-${String(end - 1)}/${size}`] : []),
      ],
      body: fileBytes(id, range),
    };
  }

  rateLimited(_call: FileCall, retryAfterSeconds: number): UpstreamAnswer {
    return slowDown(retryAfterSeconds);
  }

  failed(_call: FileCall, status: number): UpstreamAnswer {
    return plain(status, 'Something went wrong.');
  }
}

function fileCall(
  { verb, query, headers, path }: IncomingRequest,
  fields: Pick<FileCall, 'method' | 'found' | 'redirects'>,
): FileCall {
  return {
    ...fields,
    method: verb === 'GET' ? fields.method : '',
    found: verb === 'GET' ? fields.found : undefined,
    token: undefined,
    params: Object.fromEntries(new URLSearchParams(query)),
    pages: false,
    writes: false,
    path,
    range: headers.range,
  };
}

function findFile(world: SupportWorld, id: number): FoundFile | undefined {
  const file = ticketFile(world, id) ?? articleFile(world, id);
  return file === undefined ? undefined : { id, file };
}

interface RedirectPlaces {
  readonly here: string;
  readonly fileHostUrl: string;
  readonly onHost: string;
}

function misleading(to: string, { here, fileHostUrl, onHost }: RedirectPlaces): string {
  switch (to) {
    case 'undeclaredHost': {
      const url = new URL(`${fileHostUrl}/${onHost}`);
      url.hostname = 'localhost';
      return url.href;
    }
    case 'http':
      // A name that never resolves: a client that follows the redirect reaches nothing.
      return `http://files.zendesk.invalid/${onHost}`;
    case 'loop':
      return here;
    default:
      return to;
  }
}

function refusal(shaping: readonly Shaping[]): UpstreamAnswer | undefined {
  const injected = injectedError(shaping, 'before') ?? injectedError(shaping, 'after');
  return injected === undefined ? undefined : plain(injected.status ?? 403, injected.code);
}

function slowDown(retryAfterSeconds: number): UpstreamAnswer {
  const answer = plain(429, 'Too many requests.');
  return { ...answer, headers: [...answer.headers, 'retry-after', String(retryAfterSeconds)] };
}

function plain(status: number, text: string): UpstreamAnswer {
  return {
    status,
    headers: ['content-type', 'text/plain; charset=utf-8'],
    body: Buffer.from(`${text}\n`),
  };
}
