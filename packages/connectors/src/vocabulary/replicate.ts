import type { GetAction, ListAction } from './action.ts';
import type { BodyPath } from './body-path.ts';

type Scalar = string | number | boolean;

export type ParamValues = { readonly [name: string]: Scalar };

/** How an upstream writes an instant: `1700000000`, or as text with a fraction, `1700000000.000000`. */
export type InstantFormat = 'seconds' | 'seconds_text';

/** Bounds a read to what came or changed after an instant. */
export interface Since {
  /** The param that takes the instant. */
  readonly param: string;
  readonly as: InstantFormat;
  /**
   * Clocks differ and upstreams lag, so an increment begins this long before the last complete read
   * did, and no read begins later than this long ago. 300 by default.
   */
  readonly overlapSeconds?: number;
  /**
   * What has changed so shortly before a request the upstream leaves out of its answer, whatever it showed of it
   * before. Nothing, unless said.
   */
  readonly hiddenSeconds?: number;
  /** The setting of the replication config that says from when on there is anything to copy. */
  readonly startDate?: string;
  /** The setting that says how many days an increment goes back, where that is longer. */
  readonly lookbackDays?: string;
}

/** A condition on a searchable field of a parent; `when` and `unless` a boolean setting is on. */
export type ParentCondition =
  | { readonly anyOf: readonly ParentCondition[] }
  | ({ readonly field: string; readonly when?: string; readonly unless?: string } & (
      { readonly is: Scalar } | { readonly isNot: Scalar } | { readonly above: number }
    ));

/** The records of another entity's copy that a list is read for, once for each. */
export interface Parents {
  readonly entity: string;
  /** Params of the list to searchable fields of the parent. */
  readonly params: { readonly [param: string]: string };
  /** All must hold of a parent whose list is read. */
  readonly where?: readonly ParentCondition[];
  /** In an increment only the lists of parents that changed since the last complete read are read. */
  readonly changedOnly?: true;
  /**
   * Where parents do not show every change in their lists: if the setting `lookbackDays` is above 0,
   * an increment reads the lists of those with one of `fields` within so many days instead.
   */
  readonly recent?: {
    readonly lookbackDays: string;
    readonly fields: readonly string[];
    readonly as: InstantFormat;
  };
  /**
   * What is sent before a list is read, if the setting `when` is on, of parents for which all of
   * `where` hold. Changes something upstream, but may be repeated: so it goes out as a read.
   */
  readonly before?: {
    readonly action: GetAction;
    readonly when: string;
    readonly where: readonly ParentCondition[];
  };
  /** Codes, ours or the upstream's, of a list that may not be read: it counts as empty. */
  readonly refusals?: readonly string[];
}

/** What is sent to read an entity. */
export interface Read {
  /** The entity's own `list` action, unless given. */
  readonly list?: ListAction;
  readonly params?: ParamValues;
  /**
   * A list for each value of a param, one after another. The first has to be readable; of the others
   * a refusal with one of these codes counts as empty.
   */
  readonly parts?: {
    readonly param: string;
    readonly values: readonly Scalar[];
    readonly refusals: readonly string[];
  };
  readonly since?: Since;
  readonly parents?: Parents;
  /**
   * Where the upstream ends the list early, a scroll over the same records, which gives all of them, of
   * all parts. It is read instead once a page of the list says that there are `most` records or more, or
   * the list cannot go on. Takes no params but that of its paging.
   */
  readonly beyond?: {
    /** Where a page of the first list says how many records there are. */
    readonly total: BodyPath;
    readonly most: number;
    readonly list: ListAction;
  };
}

/** How the copy of an entity is kept: the members of `Read` say how a full read is done. */
export interface Replicate extends Read {
  /**
   * How what is new is read: the `same` way as a full read, but from an instant on or for changed
   * parents only; or in another way. Without it every read is a full one.
   */
  readonly increment?: 'same' | Read;
  /** A full read at least this often, in hours; finds deletions that increments do not tell. */
  readonly fullEveryHours: number;
  /** The field of raw records that tells deleted ones, by this value, or by any but null. */
  readonly deleted?: { readonly field: string; readonly is?: Scalar };
}
