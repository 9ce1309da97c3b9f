import type { Dispatcher } from 'undici';
import { request } from 'undici/index.js';
import { ConnectorError, isConnectorError } from '../errors.ts';
import type { Download, DownloadAction } from '../vocabulary/index.ts';
import { valueAt } from './body-path.ts';
import { beginStretch, type CallTimes } from './call-times.ts';
import type { Clock } from './clock.ts';
import { CodingError, codingOf, decoded, isDecodable } from './content-coding.ts';
import type { Deadline } from './deadline.ts';
import {
  contractBroken,
  judgeResponse,
  judgeTransportError,
  type Failure,
  type Operation,
} from './judge.ts';
import { quotableAnswer } from './quotable-answer.ts';
import { delayBeforeNext, pause } from './retry-delay.ts';
import type { Secret } from './secret.ts';
import { TransportError, transportErrorOf } from './transport.ts';
import { givenUpUnread } from './unread-file.ts';

/** Where a file is fetched from, and with what. */
interface FileRequest {
  readonly operation: Operation;
  readonly action: DownloadAction;
  /** The parsed answer that names the file. */
  readonly metadata: unknown;
  readonly range: string | undefined;
  readonly authorization: Secret;
  readonly dispatcher: Dispatcher;
  /** Counts until the file's first bytes are there; then the idle timeout does. */
  readonly deadline: Deadline;
  /** Ends the download at any time. */
  readonly signal: AbortSignal | undefined;
  /** Adds up where the time goes until the file is handed over. */
  readonly times: CallTimes | undefined;
  /** Longest silence between two chunks. */
  readonly idleTimeoutMs: number;
  /** Origins that are trusted like the definition's hosts; the operator's to set. */
  readonly fileOrigins: readonly string[];
  readonly clock: Clock;
  /** Numbers from 0 to 1, for jitter. */
  readonly random: () => number;
}

/** What one address has: the file, another address, or trouble. */
type Answer = { readonly file: Download } | { readonly location: string } | Failure;

const MAX_REDIRECTS = 5;
/** Of an answer that is no file, this much is read for its error code. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Opens a file as a stream that holds one chunk. Follows redirects to the upstream's own origin and
 * to the declared hosts only; credentials go to the upstream's own origin alone. Passing trouble is
 * repeated as that of any read, until the first bytes are there.
 *
 * @throws `upstream_contract_broken` for a URL that leads elsewhere, and for a part that nobody asked
 * for; `upstream_forbidden` for a web page in place of a file of another type; else as any read.
 */
export async function openFile(file: FileRequest): Promise<Download> {
  const { clock, deadline, random, times } = file;
  for (let attempt = 1; ; attempt++) {
    const opened = await attemptToOpen(file);
    if ('file' in opened) return opened.file;
    const delayMs = delayBeforeNext(opened, attempt, random);
    if (delayMs === undefined || delayMs >= deadline.leftMs()) throw opened.error;
    await pause(delayMs, { clock, times, signal: deadline.signal });
  }
}

/** One attempt, within the deadline. What has gone wrong for good is thrown. */
async function attemptToOpen(file: FileRequest): Promise<Exclude<Answer, { location: string }>> {
  const { clock, deadline, times } = file;
  deadline.signal.throwIfAborted();
  const untilOpen = new AbortController();
  const onDeadline = () => untilOpen.abort(deadline.signal.reason);
  deadline.signal.addEventListener('abort', onDeadline, { once: true });
  const signals = file.signal === undefined ? [] : [file.signal];
  const signal = AbortSignal.any([untilOpen.signal, ...signals]);
  const end = beginStretch({ clock, times, of: 'upstreamMs' });
  try {
    return await followToFile(file, signal);
  } finally {
    end();
    deadline.signal.removeEventListener('abort', onDeadline);
  }
}

/** From the address in the metadata on: one that a redirect has led to may be good for once only. */
async function followToFile(
  file: FileRequest,
  signal: AbortSignal,
): Promise<Exclude<Answer, { location: string }>> {
  let url = trustedUrl(file, valueAt(file.metadata, file.action.url), undefined);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await askFor(file, url, signal);
    if (!('location' in answer)) return answer;
    url = trustedUrl(file, answer.location, url);
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
  throw contractBroken(
    operation,
    `its file lies at ${shownOrigin(file, url)}, which is no host of its files (the option fileOrigins adds some)`,
  );
}

const MAX_ORIGIN = 200;

/** An upstream chooses it: of any length, and with the credentials as a part of its host. */
function shownOrigin({ authorization }: FileRequest, { origin }: URL): string {
  return authorization.redactOrigin(origin).slice(0, MAX_ORIGIN);
}

/** `*.example.com` stands for one or more labels before `.example.com`; the port is the default. */
function matchesHost(pattern: string, { hostname, port }: URL): boolean {
  if (port !== '') return false;
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}

async function askFor(file: FileRequest, url: URL, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetchFile(file, url, signal);
    const { statusCode: status, headers } = response;
    if (status === 200 || status === 206) {
      const problem =
        webPageInstead(file, url, response) ??
        unreadableCoding(file, response) ??
        partUnasked(file, response);
      if (problem === undefined) return { file: await begunFile(file, url, response) };
      await response.body.dump({ limit: MAX_ERROR_BYTES, signal });
      throw problem;
    }
    const location = firstOf(headers['location']);
    if (status < 300 || status > 399 || location === undefined)
      return await refusalOf(file, response);
    await response.body.dump({ limit: MAX_ERROR_BYTES, signal });
    return { location };
  } catch (error) {
    return failureOf(file, url, { error, hasBegun: false });
  }
}

function fetchFile(
  file: FileRequest,
  url: URL,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { operation, authorization, idleTimeoutMs } = file;
  const isOwn = url.origin === operation.upstreamOrigin;
  return request(url, {
    dispatcher: file.dispatcher,
    headers: {
      'user-agent': 'patchbay',
      // Length and ranges are then those of the file itself.
      'accept-encoding': 'identity',
      ...(file.range === undefined ? {} : { range: file.range }),
      ...(isOwn ? { authorization: authorization.reveal() } : {}),
    },
    signal,
    bodyTimeout: idleTimeoutMs,
  });
}

/** The file once its first bytes are there: a host that has said that they come may still have none. */
async function begunFile(
  file: FileRequest,
  url: URL,
  response: Dispatcher.ResponseData,
): Promise<Download> {
  const { headers, statusCode } = response;
  const isEncoded = fileCodingOf(response) !== undefined;
  const length = isEncoded ? Number.NaN : Number(firstOf(headers['content-length']) ?? Number.NaN);
  const bytes = decodedBytes(file, response);
  const first = await bytes.next();
  return {
    isPartial: statusCode === 206,
    contentType: firstOf(headers['content-type']) ?? null,
    contentRange: firstOf(headers['content-range']) ?? null,
    sizeBytes: Number.isSafeInteger(length) ? length : null,
    bytes: givenUpUnread(bytesOf(file, url, { first, bytes }), {
      idleTimeoutMs: file.idleTimeoutMs,
      // That it ended early is no error to anybody.
      giveUp: () => void response.body.on('error', () => undefined).destroy(),
    }),
  };
}

type Bytes = AsyncGenerator<Uint8Array, void, undefined>;

/** Chunk by chunk as the reader asks for them; leaving early ends the connection. */
async function* bytesOf(
  file: FileRequest,
  url: URL,
  { first, bytes }: { readonly first: IteratorResult<Uint8Array, void>; readonly bytes: Bytes },
): Bytes {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* bytes;
  } catch (error) {
    throw failureOf(file, url, { error, hasBegun: true }).error;
  } finally {
    // Where the reader leaves after the first chunk, nobody has.
    await bytes.return();
  }
}

async function* decodedBytes(file: FileRequest, response: Dispatcher.ResponseData): Bytes {
  const coding = fileCodingOf(response);
  try {
    yield* coding === undefined ? response.body : decoded(response.body, coding);
  } catch (error) {
    if (error instanceof CodingError)
      throw badCoding(file, coding, 'but its bytes are something else');
    throw error;
  }
}

/** Some hosts keep files encoded, and send them so whatever is asked for. */
function fileCodingOf({ headers }: Dispatcher.ResponseData): string | undefined {
  return codingOf([headers['content-encoding'] ?? []].flat().join(', '));
}

/** Why what was done to the bytes cannot be undone, if so. */
function unreadableCoding(
  file: FileRequest,
  response: Dispatcher.ResponseData,
): ConnectorError | undefined {
  const coding = fileCodingOf(response);
  if (coding === undefined) return undefined;
  if (!isDecodable(coding)) return badCoding(file, coding, 'which nobody asked for');
  if (response.statusCode !== 206) return undefined;
  return badCoding(file, coding, 'of which no part can be read by itself; ask for the whole');
}

/** Nobody could tell it from the file. */
function partUnasked(
  { operation, range }: FileRequest,
  { statusCode }: Dispatcher.ResponseData,
): ConnectorError | undefined {
  if (statusCode !== 206 || range !== undefined) return undefined;
  return contractBroken(operation, 'its file comes as a part (HTTP 206), though all was asked for');
}

function badCoding(
  { operation, authorization }: FileRequest,
  coding = '',
  problem: string,
): ConnectorError {
  const told = authorization.redact(coding).slice(0, MAX_TYPE);
  return contractBroken(operation, `its file comes encoded as ${JSON.stringify(told)}, ${problem}`);
}

/**
 * What is wrong with a web page that comes instead of a file. Whoever may not read a file is mostly
 * sent to a page to sign in, which itself is a success. A page that is a file, since it says how to
 * save it, is none.
 */
function webPageInstead(
  file: FileRequest,
  url: URL,
  { statusCode, headers }: Dispatcher.ResponseData,
): ConnectorError | undefined {
  const { operation, authorization } = file;
  const declared = declaredTypeOf(file);
  if (declared === undefined || isWebPage(declared)) return undefined;
  if (headers['content-disposition'] !== undefined) return undefined;
  if (!isWebPage(firstOf(headers['content-type']) ?? '')) return undefined;
  const type = authorization.redact(declared).slice(0, MAX_TYPE);
  const { displayName } = operation.kind;
  const isHidden = operation.onUnreachable !== undefined && url.origin === operation.upstreamOrigin;
  const place = isHidden
    ? displayName
    : `${shownOrigin(file, url)}, where ${displayName} has the file,`;
  return new ConnectorError(
    'upstream_forbidden',
    {
      entity: operation.entity.name,
      action: operation.action.verb,
      upstreamStatus: statusCode,
    },
    {
      message: `${place} answered with a web page instead of ${type}, mostly a sign-in page: these credentials lack the right or scope to read the file.`,
    },
  );
}

const MAX_TYPE = 100;

function declaredTypeOf({ action, metadata }: FileRequest): string | undefined {
  const type = action.contentType && valueAt(metadata, action.contentType);
  return typeof type === 'string' && type !== '' ? type : undefined;
}

function isWebPage(type: string): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(type);
}

async function refusalOf(file: FileRequest, response: Dispatcher.ResponseData): Promise<Failure> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_ERROR_BYTES) break;
  }
  const answer = {
    status: response.statusCode,
    header: (name: string) => firstOf(response.headers[name]),
    body: Buffer.concat(chunks).toString('utf8'),
  };
  const verdict = judgeResponse(
    file.operation,
    quotableAnswer(answer, file.authorization),
    file.clock.now(),
  );
  if (verdict.isFailure) return verdict;
  throw contractBroken(file.operation, `its file answered HTTP ${response.statusCode}`);
}

/**
 * What an error is for another attempt.
 *
 * @param hasBegun As in `transportErrorOf`; a read may take it that it has not, since it does no harm.
 * @throws the error itself where no attempt mends it: the reason of whoever aborts, above all.
 */
function failureOf(
  file: FileRequest,
  url: URL,
  { error, hasBegun }: { readonly error: unknown; readonly hasBegun: boolean },
): Failure {
  const { operation, signal, deadline } = file;
  if (signal?.aborted === true) throw signal.reason;
  if (isConnectorError(error) || deadline.hasPassed()) throw error;
  const transportError = transportErrorOf(error, hasBegun);
  if (url.origin === operation.upstreamOrigin)
    return judgeTransportError(operation, transportError);
  const upstreamOrigin = shownOrigin(file, url);
  const { baseUrlSetting: _, ...elsewhere } = { ...operation, upstreamOrigin };
  const { failure, message } = transportError;
  // Its cause names the host, too.
  const isHidden = upstreamOrigin !== url.origin;
  return judgeTransportError(
    elsewhere,
    isHidden ? new TransportError(failure, message) : transportError,
  );
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
