import type { Effort } from '@patchbay/connectors/engine';
import type { RawBuilder } from 'kysely';
import type { CopyColumn } from '../../copy-table.ts';
import type { OpenCopy } from '../../open-copy.ts';
import type { Order, Position } from '../order/order.ts';
import type { Tier, Values } from '../tiers/tiers.ts';

/** What rows are looked for, and in which order. */
export interface RowQuery extends OpenCopy {
  readonly tier: Tier;
  /** What the filter looks at. */
  readonly used: readonly CopyColumn[];
  /** What has to be known of a row to accept it. */
  readonly needed: readonly CopyColumn[];
  /** What hits have, where they are made of the rows as they are found; else they are read again. */
  readonly shown: readonly CopyColumn[] | undefined;
  readonly order: Order;
  readonly after: Position | undefined;
  readonly bounds: readonly RawBuilder<unknown>[];
  readonly signal: AbortSignal | undefined;
  /** What judging rows may cost; `undefined` where nobody bounds it. */
  readonly effort: Effort | undefined;
  /** Told of the last row that was judged, in order, for whoever goes on from there. */
  readonly onJudged: ((row: Position) => void) | undefined;
  /** Told how frequent rows are among the first by key, where a walk looked at those. */
  readonly onFirstLook?: (look: FirstLook) => void;
  /** Told how many rows the tier has, where an index found all of them at once. */
  readonly onTotal?: (total: number) => void;
}

/** What the first rows by key tell. */
export interface FirstLook {
  readonly walked: number;
  /** So many of those are wanted. */
  readonly taken: number;
}

/** A row that is wanted. */
export interface Candidate extends Position {
  /** What the filter looks at, where that is needed to accept the row. */
  readonly fields: Values | undefined;
  /** Of what is shown, as JSON; `null` where that is nothing. */
  readonly data?: string | null;
}

/** Whether rows come with values, so that there must not be too many at once. */
export function needsValues({ tier, needed }: RowQuery): boolean {
  return !tier.predicate.isExact || needed.length > 0;
}
