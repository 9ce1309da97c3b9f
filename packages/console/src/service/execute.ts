import type { ExecuteAnswer, Patchbay } from '@patchbay/client';
import { serverTimesOf, type ServerTimes } from './server-times.ts';

/** A call of an action of a connector. */
export interface Call {
  readonly connectorId: string;
  readonly entity: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A file as JSON, up to 8 MiB (docs/wire.md#downloads). */
export interface InlineFile {
  readonly content_base64: string;
  readonly content_type: string | null;
  /** Bytes. */
  readonly size: number;
}

/** What came of a call. */
export interface Answer {
  readonly call: Call;
  /** A file for downloads, which have no envelope. */
  readonly body: ExecuteAnswer | InlineFile;
  /** From sending to having read the answer, as this browser saw it. */
  readonly roundTripMs: number;
  /** Where in the service that was; `undefined` where it does not say. */
  readonly times: ServerTimes | undefined;
}

interface ExecuteOptions {
  readonly signal: AbortSignal;
  /** Makes a write happen once, however often it is sent; absent for reads. */
  readonly idempotencyKey?: string;
}

/** Where a call goes, below the address of the service. */
export function executePath({ connectorId }: Call): string {
  return `/api/v1/connectors/sources/${connectorId}/execute`;
}

/** What a call sends. */
export function executeBody({ entity, action, params }: Call) {
  return { entity, action, params };
}

/**
 * Makes a call, and says how long it took. Without a key it is repeated on trouble on the way, as reads may be.
 *
 * @throws ConnectorError by the error table; the reason of the signal when it aborts.
 */
export async function execute(
  service: Patchbay,
  call: Call,
  { signal, idempotencyKey }: ExecuteOptions,
): Promise<Answer> {
  const startedAt = performance.now();
  let times: ServerTimes | undefined;
  const body = await service.request('POST', executePath(call), {
    body: executeBody(call),
    signal,
    onHeaders: (headers) => {
      times = serverTimesOf(headers.get('server-timing'));
    },
    ...(idempotencyKey === undefined ? { isRead: true } : { idempotencyKey }),
  });
  // Console and service are of one version: a success has the shape of its action.
  const roundTripMs = performance.now() - startedAt;
  return { call, body: body as Answer['body'], roundTripMs, times };
}

/** Whether an answer is a file. */
export function isFile(body: Answer['body']): body is InlineFile {
  return 'content_base64' in body;
}
