import type { Condition } from '@patchbay/connectors/engine';
import type { SimilarWords } from '../../dictionary.ts';
import type { FieldScope } from './field-place.ts';
import type { Predicate } from './predicate.ts';

/** What a filter is compiled with, and where in it. */
export interface Compiler extends FieldScope {
  readonly connectorId: string;
  /** As of the database. */
  readonly isDistributed: boolean;
  /** Of more values one statement does not look for the terms of each: it would take too long. */
  readonly mostSets: number;
  /** Inside `not`, an odd number of times. */
  readonly isNegated: boolean;
  /** Words of the dictionary by the words of fuzzy conditions. */
  readonly similar: ReadonlyMap<string, SimilarWords>;
  /** Conditions of which it is known otherwise whether they hold, not inside `any`. */
  readonly known: ReadonlyMap<Condition, boolean>;
  /** The conditions that are compiled already, and those inside an odd number of `not`s. */
  readonly compiled: Readonly<Record<'plain' | 'negated', Map<Condition, Predicate>>>;
}
