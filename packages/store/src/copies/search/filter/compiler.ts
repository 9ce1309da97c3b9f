import type { Condition } from '@patchbay/connectors/engine';
import type { SimilarWord } from '../../dictionary.ts';
import type { FieldScope } from './field-place.ts';

/** What a filter is compiled with, and where in it. */
export interface Compiler extends FieldScope {
  readonly connectorId: string;
  /** As of the database. */
  readonly isDistributed: boolean;
  /** Inside `not`, an odd number of times. */
  readonly isNegated: boolean;
  /** Words of the dictionary by the words of fuzzy conditions. */
  readonly similar: ReadonlyMap<string, readonly SimilarWord[]>;
  /** Conditions of which it is known otherwise whether they hold, not inside `any`. */
  readonly known: ReadonlyMap<Condition, boolean>;
}
