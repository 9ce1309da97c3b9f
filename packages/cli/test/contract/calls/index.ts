import type { CallRow } from '../call.ts';
import { DOWNLOADS } from './downloads.ts';
import { GETS } from './gets.ts';
import { LISTS } from './lists.ts';
import { REACH } from './reach.ts';
import { REFUSALS } from './refusals.ts';
import { SEARCHES } from './searches.ts';
import { LONG_WAITS, TROUBLE } from './trouble.ts';
import { WRITES } from './writes.ts';
import { WRONG_CALLS } from './wrong-calls.ts';
import { WRONG_SEARCHES } from './wrong-searches.ts';

/** The contract: every call, in the order in which each surface makes them. */
export const CALLS: readonly CallRow[] = [
  ...LISTS,
  ...GETS,
  ...WRITES,
  ...DOWNLOADS,
  ...SEARCHES,
  ...WRONG_CALLS,
  ...WRONG_SEARCHES,
  ...REFUSALS,
  ...REACH,
  ...TROUBLE,
  ...LONG_WAITS,
];
