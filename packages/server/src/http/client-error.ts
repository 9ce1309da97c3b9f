import { STATUS_CODES } from 'node:http';
import { ConnectorError, type ErrorCode } from '@patchbay/connectors';
import { PROBLEM_TYPE, renderProblem } from './problem.ts';

/** A whole HTTP answer, to be written to a socket. */
export interface RawAnswer {
  readonly requestId: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly bytes: string;
}

/**
 * The answer to what Node's HTTP parser refuses; `undefined` where nobody waits for one.
 *
 * @see https://nodejs.org/api/http.html#event-clienterror
 */
export function clientErrorAnswer(
  error: Error & { readonly code?: string },
  requestId: string,
): RawAnswer | undefined {
  const known = meaningOf(error.code);
  if (known === undefined) return undefined;
  const { code, status, body, headers } = renderProblem(known, requestId);
  const lines = {
    ...headers,
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    connection: 'close',
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${body}`;
  return { requestId, status, code, bytes };
}

function meaningOf(code: string | undefined): ConnectorError | undefined {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return undefined;
    case 'HPE_HEADER_OVERFLOW':
      return new ConnectorError(
        'headers_too_large',
        {},
        { message: 'The request line and headers together may have at most 16 KiB.' },
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ConnectorError('body_too_large', {});
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ConnectorError('request_timeout', {});
    default:
      return notHttp();
  }
}

/** The error for a request that breaks the rules of HTTP. */
export function notHttp(problem?: string): ConnectorError<'malformed_json'> {
  const why = problem === undefined ? '' : `: ${problem}`;
  return new ConnectorError(
    'malformed_json',
    {},
    { message: `The request is not valid HTTP${why}.` },
  );
}
