/**
 * Sets settings until the transaction ends, as one statement. Where several stand in one message, Citus sends
 * all of that message to a node once for each of them, and the node's log fills with warnings of transactions
 * that have begun already; statements within a block go there one by one, and once.
 *
 * @param settings As `name = value`, of the program's own.
 */
export function localSettings(settings: readonly string[]): string {
  const statements = settings.map((setting) => `set local ${setting};`);
  return `do $$ begin ${statements.join(' ')} end $$`;
}

/** Rows come by the primary key, whatever the planner knows of their table. */
export const BY_PRIMARY_KEY = [
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
];
