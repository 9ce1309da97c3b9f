import type { ExecuteAnswer, Patchbay } from '@patchbay/client';

/** A call as the form says it. */
export interface Call {
  readonly connectorId: string;
  readonly entity: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What came of a call, and how long it took, in milliseconds. */
export interface Outcome {
  readonly call: Call;
  readonly answer: ExecuteAnswer;
  /** From this browser and back. */
  readonly totalMs: number;
}

/** The request that a call is. */
export function requestOf({ connectorId, entity, action, params }: Call) {
  return {
    path: `/api/v1/connectors/sources/${connectorId}/execute`,
    body: { entity, action, params },
  };
}

/**
 * Runs a call through the service.
 *
 * @param idempotencyKey Of a write: with it, the write happens once.
 * @see docs/wire.md#execute
 */
export async function runCall(
  service: Patchbay,
  call: Call,
  idempotencyKey: string | undefined,
): Promise<Outcome> {
  const { path, body } = requestOf(call);
  const begunAt = performance.now();
  const answer = await service.request('POST', path, { body, idempotencyKey });
  const totalMs = performance.now() - begunAt;
  return { call, answer: answer as ExecuteAnswer, totalMs };
}

/** What to merge into the params for the page that follows; `undefined` at the end, and where there are no pages. */
export function nextPageOf({ answer }: Outcome): Readonly<Record<string, unknown>> | undefined {
  const next = answer.connector_metadata.next_params;
  if (next !== undefined && next !== null) return next;
  const { result } = answer;
  const cursor = isObject(result) ? result['next_cursor'] : undefined;
  return typeof cursor === 'string' ? { cursor } : undefined;
}

/** The records of an answer, as a table shows them; `undefined` where it is none. */
export function recordsOf({
  answer: { result },
}: Outcome): readonly Readonly<Record<string, unknown>>[] | undefined {
  if (Array.isArray(result)) return result.filter(isObject);
  const hits = isObject(result) ? result['hits'] : undefined;
  if (!Array.isArray(hits)) return undefined;
  return hits.filter(isObject).map(({ id, score, data }) => ({
    ...(isObject(data) ? data : {}),
    score,
    id: (isObject(data) ? data['id'] : undefined) ?? id,
  }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
