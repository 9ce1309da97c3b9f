import { request, type Dispatcher } from 'undici';
import { isConnectorError, type ConnectorError } from '../errors.ts';
import type { Download, DownloadAction } from '../vocabulary/index.ts';
import type { Deadline } from './deadline.ts';
import { contractBroken, judgeResponse, judgeTransportError, type Operation } from './judge.ts';
import type { Secret } from './secret.ts';
import { transportErrorOf } from './transport.ts';

/** Where a file is fetched from, and with what. */
interface FileRequest {
  readonly operation: Operation;
  readonly action: DownloadAction;
  /** As the upstream's metadata gave it. */
  readonly url: unknown;
  readonly range: string | undefined;
  readonly authorization: Secret;
  readonly dispatcher: Dispatcher;
  /** Counts until the first byte; then the idle timeout does. */
  readonly deadline: Deadline;
  /** Ends the download at any time. */
  readonly signal: AbortSignal | undefined;
  /** Longest silence between two chunks. */
  readonly idleTimeoutMs: number;
  /** Origins that are trusted like the definition's hosts; the operator's to set. */
  readonly fileOrigins: readonly string[];
  readonly nowMs: number;
}

const MAX_REDIRECTS = 5;
/** Of an answer that is no file, this much is read for its error code. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Opens a file as a stream that holds one chunk. Follows redirects to the upstream's own origin and
 * to the declared hosts only; credentials go to the upstream's own origin alone.
 *
 * @throws `upstream_contract_broken` for a URL that leads elsewhere, else as any read.
 */
export async function openFile(file: FileRequest): Promise<Download> {
  let url = trustedUrl(file, file.url, undefined);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await fetchFile(file, url);
    const { statusCode: status, headers } = response;
    if (status === 200 || status === 206) return downloadOf(file, response);
    const location = firstOf(headers['location']);
    if (status < 300 || status > 399 || location === undefined)
      throw await refusalOf(file, response);
    await response.body.dump({ limit: MAX_ERROR_BYTES });
    url = trustedUrl(file, location, url);
  }
  throw contractBroken(file.operation, `its file redirects more than ${MAX_REDIRECTS} times`);
}

/** The URL, if files may come from there. Compares parsed origins, never text. */
function trustedUrl(file: FileRequest, given: unknown, base: URL | undefined): URL {
  const { operation, action, fileOrigins } = file;
  const url = typeof given === 'string' ? URL.parse(given, base?.href) : null;
  if (url === null) throw contractBroken(operation, 'it names no URL of a file');
  const isOwn = url.origin === operation.upstreamOrigin;
  const isDeclared =
    url.protocol === 'https:' && action.fileHosts.some((host) => matchesHost(host, url));
  if (isOwn || isDeclared || fileOrigins.includes(url.origin)) return url;
  throw contractBroken(operation, `its file lies at ${url.origin}, which is no host of its files`);
}

/** `*.example.com` stands for one or more labels before `.example.com`; the port is the default. */
function matchesHost(pattern: string, { hostname, port }: URL): boolean {
  if (port !== '') return false;
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

async function fetchFile(file: FileRequest, url: URL): Promise<Dispatcher.ResponseData> {
  const { operation, authorization, deadline, idleTimeoutMs } = file;
  const isOwn = url.origin === operation.upstreamOrigin;
  const untilFirstByte = new AbortController();
  const onDeadline = () => untilFirstByte.abort(deadline.signal.reason);
  deadline.signal.throwIfAborted();
  deadline.signal.addEventListener('abort', onDeadline, { once: true });
  const signals = file.signal === undefined ? [] : [file.signal];
  try {
    return await request(url, {
      dispatcher: file.dispatcher,
      headers: {
        'user-agent': 'patchbay',
        ...(file.range === undefined ? {} : { range: file.range }),
        ...(isOwn ? { authorization: authorization.reveal() } : {}),
      },
      signal: AbortSignal.any([untilFirstByte.signal, ...signals]),
      bodyTimeout: idleTimeoutMs,
    });
  } catch (error) {
    if (file.signal?.aborted === true) throw file.signal.reason;
    throw errorOf(file, error);
  } finally {
    deadline.signal.removeEventListener('abort', onDeadline);
  }
}

function downloadOf(file: FileRequest, response: Dispatcher.ResponseData): Download {
  const { headers, statusCode } = response;
  const length = Number(firstOf(headers['content-length']) ?? Number.NaN);
  return {
    isPartial: statusCode === 206,
    contentType: firstOf(headers['content-type']) ?? null,
    contentRange: firstOf(headers['content-range']) ?? null,
    sizeBytes: Number.isSafeInteger(length) ? length : null,
    bytes: bytesOf(file, response.body),
  };
}

/** Chunk by chunk as the reader asks for them; leaving early ends the connection. */
async function* bytesOf(
  file: FileRequest,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    if (file.signal?.aborted === true) throw file.signal.reason;
    throw errorOf(file, error);
  }
}

async function refusalOf(
  file: FileRequest,
  response: Dispatcher.ResponseData,
): Promise<ConnectorError> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ERROR_BYTES) break;
  }
  const verdict = judgeResponse(
    file.operation,
    {
      status: response.statusCode,
      header: (name) => firstOf(response.headers[name]),
      body: file.authorization.redact(Buffer.concat(chunks).toString('utf8')),
    },
    file.nowMs,
  );
  return verdict.isFailure
    ? verdict.error
    : contractBroken(file.operation, `its file answered HTTP ${response.statusCode}`);
}

function errorOf(file: FileRequest, error: unknown): unknown {
  if (isConnectorError(error)) return error;
  if (file.deadline.hasPassed()) return error;
  const verdict = judgeTransportError(file.operation, transportErrorOf(error));
  return verdict.isFailure ? verdict.error : error;
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
