import { Button } from '@mantine/core';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Notice } from '../../parts/notice.tsx';
import type { Intent, Trouble } from '../../service/use-call.ts';

interface Props {
  readonly trouble: Trouble;
  /** Names of the params that have a field, which shows their faults. */
  readonly fields: readonly string[];
  readonly onRepeat: (intent: Intent) => void;
}

/** Why there is no answer, and for a write whose outcome nobody knows, the way to find out. */
export function TroubleNotice({ trouble, fields, onRepeat }: Props) {
  const { failure, intent, isOutcomeUnknown, isStopped } = trouble;
  const shown = new Set(fields.map((name) => `params.${name}`));
  const elsewhere = failure.faults.filter(({ field }) => !shown.has(rootOf(field)));
  return (
    <>
      {isStopped ? (
        <Notice tone="info" title={failure.message} />
      ) : (
        <FailureNotice failure={failure} faults={elsewhere} />
      )}
      {isOutcomeUnknown && (
        <Notice tone="warning" title="The write may have happened">
          <p>
            Sent again with the same key, it happens only if it has not yet, and the answer is that
            of the first time. The key is <code>{intent.idempotencyKey}</code>.
          </p>
          <Button size="compact-sm" variant="default" onClick={() => onRepeat(intent)}>
            Send again with the same key
          </Button>
        </Notice>
      )}
    </>
  );
}

/** The param that a fault is in: `params.query` of `params.query.filter.eq`. */
function rootOf(field: string): string {
  return /^params\.[^.[]+/.exec(field)?.[0] ?? field;
}
