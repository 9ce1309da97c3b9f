import type { ConnectorError, ErrorCode, Warning } from '@patchbay/connectors';
import type { ProjectedRecord } from '@patchbay/connectors/engine';
import { errorOfProblem, type Problem } from '@patchbay/connectors/wire';
import type { StoredAnswer } from '@patchbay/store';
import type { AnswerKeeper } from '../operations/idempotency.ts';
import type { Executed } from '../operations/outcome.ts';
import { envelopeText } from './envelope.ts';
import { renderProblem } from './problem.ts';

/** Keeps the answers of a request as it gets them, byte for byte. */
export function answerKeeper(requestId: string): AnswerKeeper<Executed> {
  return {
    outcome: (executed) => ({ status: 200, body: envelopeText(executed, { requestId }) }),
    error: (error) => {
      const { status, body } = renderProblem(error, requestId);
      return { status, body };
    },
  };
}

/** The code of a kept answer. */
export function codeOfKept({ status, body }: StoredAnswer): ErrorCode | 'ok' {
  return status < 400 ? 'ok' : problemOf(body).code;
}

/** The write that a kept answer tells of. */
export interface KeptWrite {
  readonly record: ProjectedRecord;
  readonly warnings: readonly Warning[];
}

/**
 * What a kept answer tells of.
 *
 * @throws ConnectorError where it tells of a failure; `details.requestId` is that of the call it was
 * made for.
 */
export function writeOfKept({ status, body }: StoredAnswer): KeptWrite {
  if (status >= 400) throw problemOf(body);
  // `answerKeeper` has written it: the envelope of a write.
  const { result: record, warnings = [] } = JSON.parse(body) as {
    readonly result: ProjectedRecord;
    readonly warnings?: readonly Warning[];
  };
  return { record, warnings };
}

/** What `answerKeeper` has written, as it was thrown. */
function problemOf(body: string): ConnectorError {
  return errorOfProblem(JSON.parse(body) as Problem);
}
