import type { ReadBatch } from '../contract/syncs.ts';
import { charactersOf, OF_A_RECORD } from '../copies/record-size.ts';

/** What is to be written and deleted, each key once. */
export interface Changes {
  readonly records: ReadBatch['records'];
  readonly deletedKeys: readonly string[];
}

/** Of several records with one key the last counts. */
export function changesOf({ records, deletedKeys = [] }: ReadBatch): Changes {
  const latest = new Map(records.map((record) => [record.key, record]));
  return { records: [...latest.values()], deletedKeys };
}

/** What is written first: records of so many characters, one at least, and then what is to be deleted. */
export function split(
  { records, deletedKeys }: Changes,
  most: number,
): { readonly part: Changes; readonly others: Changes; readonly characters: number } {
  let count = 0;
  let characters = 0;
  for (const record of records) {
    const more = most === Infinity ? 0 : charactersOf(record);
    if (count > 0 && characters + more > most) break;
    count += 1;
    characters += more;
  }
  const isRoom = count === records.length && (count === 0 || characters < most);
  const deleted = isRoom ? Math.max(1, Math.ceil((most - characters) / OF_A_RECORD)) : 0;
  return {
    part: { records: records.slice(0, count), deletedKeys: deletedKeys.slice(0, deleted) },
    others: { records: records.slice(count), deletedKeys: deletedKeys.slice(deleted) },
    characters: characters + Math.min(deleted, deletedKeys.length) * OF_A_RECORD,
  };
}
