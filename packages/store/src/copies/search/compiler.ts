import type { Condition } from '@patchbay/connectors';
import type { SimilarWord } from '../dictionary.ts';
import type { Places } from './place.ts';

/** What a filter is compiled with. */
export interface Compiler extends Places {
  /** Words of the dictionary by the words of fuzzy conditions. */
  readonly similar: ReadonlyMap<string, readonly SimilarWord[]>;
  /** Conditions of which it is known otherwise whether they hold, not inside `any`. */
  readonly known: ReadonlyMap<Condition, boolean>;
}
