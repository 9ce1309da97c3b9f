import { InlineFile } from '@patchbay/connectors/wire';
import type { Clock } from '@patchbay/connectors';
import type { Applications } from '../access/applications.ts';
import type { CallLog } from '../call-log.ts';
import type { Executor } from '../operations/execute.ts';
import type { LiveConnectors } from '../operations/live-connectors.ts';
import type { Kept } from '../operations/outcome.ts';
import { envelopePieces, envelopeText } from './envelope.ts';
import {
  deadlineOf,
  executeRequestOf,
  MAX_KEY_CHARACTERS,
  MAX_TIMEOUT_MS,
} from './execute-input.ts';
import { fileAnswer } from './file-answer.ts';
import { actAs } from './in-place-of-application.ts';
import { codeOfKept } from './kept-answer.ts';
import { PROBLEM_TYPE } from './problem.ts';
import { pathParameter, requireBody } from './require-body.ts';
import type { Answer, Call, Route } from './route.ts';
import { ref } from './schemas.ts';
import type { SearchShape } from './search-result.ts';

export interface ExecuteRouteParts {
  readonly applications: Pick<Applications, 'accessOf'>;
  readonly live: LiveConnectors;
  readonly executor: Executor;
  readonly clock: Clock;
}

const PATH = '/api/v1/connectors/sources/:id/execute';
const ALSO_PATH = '/api/v1/integrations/connectors/:id/execute';

const BYTES = { '*/*': { type: 'string', format: 'binary' } };

/** Where operations are executed, as the routes declare it. */
export const EXECUTE_PATHS: readonly string[] = [PATH, ALSO_PATH];

/** @see docs/wire.md#execute */
export function executeRoutes(parts: ExecuteRouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: PATH,
      also: [ALSO_PATH],
      reach: 'execution',
      tellsTimes: true,
      doc: {
        summary: 'Execute an operation',
        tag: 'Execute',
        headers: [
          {
            name: 'Idempotency-Key',
            doc: 'Writes with the same key and body happen at most once in 24 hours.',
            schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_CHARACTERS },
          },
          {
            name: 'Patchbay-Timeout-Ms',
            doc: 'Longest time for the call, 60,000 ms unless said.',
            schema: { type: 'integer', minimum: 1, maximum: MAX_TIMEOUT_MS },
          },
        ],
        body: ref('ExecuteRequest'),
        answer: { anyOf: [ref('ExecuteAnswer'), InlineFile] },
        // A download has the type of its file.
        further: { '200': BYTES, '206': BYTES },
      },
      handle: (call) => execute(parts, call),
    },
  ];
}

async function execute(parts: ExecuteRouteParts, given: Call): Promise<Answer> {
  const { applications, live, executor, clock } = parts;
  const { access, log, requestId } = given;
  // A body that is missing is told first; one that is wrong, to whoever reaches the connector.
  requireBody(given);
  const found = live.require(access, pathParameter(given, 'id'));
  const deadline = deadlineOf(given, clock);
  const connector = found instanceof Promise ? await deadline.within(found) : found;
  const call =
    access.type === 'operator'
      ? await deadline.within(actAs(connector.row.applicationId, given, applications))
      : given;
  log.connectorId = connector.row.id;
  log.kind = connector.kind.kind;
  const request = executeRequestOf(call, connector, deadline);
  const executed = await executor.execute(request);
  if ('kept' in executed) return keptAnswer(executed, log);
  const { outcome } = executed;
  if (outcome.type === 'file') return fileAnswer(outcome, call.header('accept'), deadline);
  const searchShape = call.isAlso ? 'both' : SEARCH_SHAPES[request.action];
  const options = { requestId, searchShape };
  // Pages and hits come of reads; a record may tell of a write.
  const isRepeatable = outcome.type !== 'record';
  return outcome.type === 'hits'
    ? { status: 200, pieces: () => envelopePieces(executed, options), isRepeatable }
    : { status: 200, text: envelopeText(executed, options), isRepeatable };
}

/** The shape that goes with the name by which a search was asked for. */
const SEARCH_SHAPES: Readonly<Record<string, SearchShape | undefined>> = {
  context_store_search: 'records',
};

function keptAnswer({ kept }: Kept, log: CallLog): Answer {
  const code = codeOfKept(kept);
  log.code = code;
  log.isReplayed = true;
  return {
    status: kept.status,
    text: kept.body,
    ...(code === 'ok' ? {} : { type: PROBLEM_TYPE }),
    headers: { 'idempotent-replayed': 'true' },
  };
}
