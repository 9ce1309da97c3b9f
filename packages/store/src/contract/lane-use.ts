/** What a statement is for: each lane has connections of its own. */
export type Lane =
  | 'control'
  | 'calls'
  | 'searches'
  /** Searches that have taken long. */
  | 'scans'
  | 'replication';

/** Searches that take longer, in milliseconds, go on as scans, unless said. */
export const QUICK_SEARCH_MS = 250;

/** What the connections of a lane are at, in this process. */
export interface LaneUse {
  readonly inUse: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
  readonly most: number;
}
