import { Button } from '@mantine/core';
import type { EntitySyncStatus, Freshness } from '@patchbay/client';
import { useNow } from '../../../parts/use-now.ts';
import { agoText, dateTime, numberText } from '../../../parts/words.ts';

const TICK_MS = 5_000;

interface Props {
  /** How fresh the copy was when it was read. */
  readonly sync: Freshness;
  /** How it is now. */
  readonly status: EntitySyncStatus | undefined;
  readonly onReadAnew: () => void;
}

/** How fresh the records are that are shown, and whether there are newer ones. */
export function CopyLine({ sync, status, onReadAnew }: Props) {
  const now = useNow(TICK_MS);
  const { as_of: asOf, complete } = sync;
  const isOld = status !== undefined && status.as_of !== asOf;
  return (
    <p className="row copy-line">
      <span>
        {status !== undefined && `${numberText(status.entity_count)} records, `}
        {asOf === null ? (
          'read while the first copy was made'
        ) : (
          <span title={dateTime(asOf)}>as they were {agoText(asOf, now)}</span>
        )}
        {!complete && '; some are missing until the first copy is done'}
      </span>
      <Button size="compact-sm" variant={isOld ? 'filled' : 'default'} onClick={onReadAnew}>
        {isOld ? 'Show the newer copy' : 'Read anew'}
      </Button>
    </p>
  );
}
