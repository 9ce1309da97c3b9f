import { agoText, dateTime } from '../../../parts/words.ts';
import type { CopiedRecord } from './record-pages.ts';

interface Props {
  readonly record: CopiedRecord;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** When a record was last seen to be what the copy has of it (docs/search.md#freshness-of-a-record). */
export function RecordAge({ record, now }: Props) {
  const { confirmed_at: confirmedAt, synced_at: syncedAt } = record;
  if (confirmedAt === undefined) return <span className="dim">–</span>;
  const since = syncedAt === undefined ? '' : `; as it is since ${dateTime(syncedAt)}`;
  return (
    <span title={`Read at ${dateTime(confirmedAt)}${since}`}>{agoText(confirmedAt, now)}</span>
  );
}
