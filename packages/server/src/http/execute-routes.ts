import type { Download } from '@patchbay/connectors';
import { wantsInline } from '../operations/downloads.ts';
import type { Executor } from '../operations/execute.ts';
import { PROBLEM_TYPE } from './problem.ts';
import { pathParameter, requireBody } from './require-body.ts';
import type { Answer, Call, Route } from './route.ts';
import { ref } from './schemas.ts';

/** @see wire contract, part 4 */
export function executeRoutes(executor: Executor): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/connectors/sources/:id/execute',
      also: ['/api/v1/integrations/connectors/:id/execute'],
      reach: 'connectors',
      doc: {
        summary: 'Execute an operation',
        tag: 'Execute',
        headers: [
          {
            name: 'Idempotency-Key',
            doc: 'Writes with the same key and body happen at most once in 24 hours.',
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
          {
            name: 'Patchbay-Timeout-Ms',
            doc: 'Longest time for the call, 60,000 ms unless said.',
            schema: { type: 'integer', minimum: 1, maximum: 300_000 },
          },
        ],
        body: ref('ExecuteRequest'),
        answer: ref('ExecuteAnswer'),
      },
      handle: (call) => execute(executor, call),
    },
  ];
}

async function execute(executor: Executor, call: Call): Promise<Answer> {
  const { log } = call;
  const outcome = await executor.execute({
    access: call.access,
    connectorId: pathParameter(call, 'id'),
    body: requireBody(call),
    idempotencyKey: call.header('idempotency-key'),
    timeout: call.header('patchbay-timeout-ms'),
    wantsInline: wantsInline(call.header('accept')),
    requestId: call.requestId,
    isAlso: call.isAlso,
    note: (facts) => Object.assign(log, facts),
    onDisconnect: call.onDisconnect,
  });
  if ('file' in outcome) return fileAnswer(outcome.file);
  const { answer, isReplayed } = outcome;
  const isProblem = answer.status >= 400;
  if (isProblem) log.code = codeOf(answer.body);
  if (isReplayed) log.isReplayed = true;
  return {
    status: answer.status,
    text: answer.body,
    ...(isProblem ? { type: PROBLEM_TYPE } : {}),
    ...(isReplayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
  };
}

/** The bytes as they come, for the client to save: a browser must not show them as a page of ours. */
function fileAnswer({ isPartial, contentType, contentRange, sizeBytes, bytes }: Download): Answer {
  return {
    status: isPartial ? 206 : 200,
    type: contentType ?? 'application/octet-stream',
    stream: bytes,
    headers: {
      'content-disposition': 'attachment',
      ...(contentRange === null ? {} : { 'content-range': contentRange }),
      ...(sizeBytes === null ? {} : { 'content-length': String(sizeBytes) }),
    },
  };
}

/** The code of a stored problem. */
function codeOf(body: string): NonNullable<Call['log']['code']> {
  // A stored answer of 400 or above is a problem that this service rendered.
  const { code } = JSON.parse(body) as { code: NonNullable<Call['log']['code']> };
  return code;
}
