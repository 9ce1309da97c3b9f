import type { Clock } from '@patchbay/connectors';
import { keyHolderOf } from '../access/access.ts';
import { creationError, type CreatedOnce } from '../operations/created-once.ts';
import { FaultList } from '../operations/input.ts';
import { deadlineOf, idempotencyKeyOf, MAX_KEY_CHARACTERS } from './execute-input.ts';
import { codeOfKept } from './kept-answer.ts';
import { PROBLEM_TYPE, renderProblem } from './problem.ts';
import type { Answer, Call, RouteParameter } from './route.ts';
import { untilDisconnect } from './until-disconnect.ts';

export interface AnswerOnceParts {
  readonly createdOnce: CreatedOnce;
  readonly clock: Clock;
}

/** What a route that uses `answerOnce` says of it. */
export const CREATION_KEY: RouteParameter = {
  name: 'Idempotency-Key',
  doc: 'The same key and body create once in 24 hours, and get the same answer.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_CHARACTERS },
};

/** Where what was created is, by its id. */
export function locationIn(collection: string): (body: object) => Readonly<Record<string, string>> {
  return (body) => ({ location: `${collection}/${'id' in body ? String(body.id) : ''}` });
}

/**
 * Answers a call that creates, once per `Idempotency-Key` where it has one. What has a key goes on when its
 * client goes, who may come back for the answer.
 *
 * @param options.create With a signal that aborts once nobody waits for it.
 * @param options.route With the ids in its path.
 * @param options.headersOf The headers of an answer that is told again, from its body.
 * @throws `invalid_request` for a key of another length, and as `CreatedOnce.run`.
 */
export async function answerOnce(
  { createdOnce, clock }: AnswerOnceParts,
  call: Call,
  options: {
    readonly route: string;
    readonly create: (signal: AbortSignal) => Promise<object>;
    readonly headersOf?: (body: object) => Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const { route, headersOf = () => ({}) } = options;
  const create = async (signal: AbortSignal) => {
    try {
      return await options.create(signal);
    } catch (error) {
      throw creationError(error, route);
    }
  };
  const faults = new FaultList();
  const key = idempotencyKeyOf(call, faults);
  if (key === undefined) {
    const body = await untilDisconnect(call, create);
    return { status: 201, body, headers: headersOf(body) };
  }
  faults.throwAny();
  const { answer, isReplayed } = await createdOnce.run(
    {
      caller: keyHolderOf(call.access),
      route,
      key,
      request: withoutNulls(call.body ?? {}),
      deadline: deadlineOf(call, clock),
      renderError: (error) => {
        const { status, body } = renderProblem(error, call.requestId);
        return { status, body };
      },
    },
    async () => {
      const body = await create(new AbortController().signal);
      return { status: 201, body: JSON.stringify(body) };
    },
  );
  const code = codeOfKept(answer);
  if (isReplayed) {
    call.log.isReplayed = true;
    call.log.code = code;
  }
  const replayed: Record<string, string> = isReplayed ? { 'idempotent-replayed': 'true' } : {};
  return {
    status: answer.status,
    text: answer.body,
    ...(code === 'ok' ? {} : { type: PROBLEM_TYPE }),
    // What this service has written: an object.
    headers: {
      ...(code === 'ok' ? headersOf(JSON.parse(answer.body) as object) : {}),
      ...replayed,
    },
  };
}

/** An optional member that is null is absent, so with and without it a body asks for the same. */
function withoutNulls(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
