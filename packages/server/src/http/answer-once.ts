import type { Clock } from '@patchbay/connectors';
import { callerOf } from '../admission/admission.ts';
import type { CreatedOnce } from '../operations/created-once.ts';
import { FaultList } from '../operations/input.ts';
import { deadlineOf, keyFaults, MAX_KEY_CHARACTERS } from './execute-input.ts';
import { codeOfKept } from './kept-answer.ts';
import { PROBLEM_TYPE, renderProblem } from './problem.ts';
import type { Answer, Call, RouteParameter } from './route.ts';

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
 * Answers a call that creates, once per `Idempotency-Key` where it has one.
 *
 * @param options.route With the ids in its path.
 * @param options.headersOf The headers of an answer that is told again, from its body.
 * @throws `invalid_request` for a key of another length, and as `CreatedOnce.run`.
 */
export async function answerOnce(
  { createdOnce, clock }: AnswerOnceParts,
  call: Call,
  options: {
    readonly route: string;
    readonly create: () => Promise<object>;
    readonly headersOf?: (body: object) => Readonly<Record<string, string>>;
  },
): Promise<Answer> {
  const { route, create, headersOf = () => ({}) } = options;
  const key = call.header('idempotency-key');
  if (key === undefined) {
    const body = await create();
    return { status: 201, body, headers: headersOf(body) };
  }
  const faults = new FaultList();
  faults.add(...keyFaults(key));
  faults.throwAny();
  const { answer, isReplayed } = await createdOnce.run(
    {
      caller: callerOf(call.access),
      route,
      key,
      request: call.body ?? {},
      deadline: deadlineOf(call, clock),
      renderError: (error) => {
        const { status, body } = renderProblem(error, call.requestId);
        return { status, body };
      },
    },
    async () => ({ status: 201, body: JSON.stringify(await create()) }),
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
