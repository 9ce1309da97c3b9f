/** What a statement is for: each lane has connections of its own. */
export type Lane =
  | 'control'
  | 'calls'
  | 'searches'
  /** Searches that have taken long. */
  | 'scans'
  | 'replication';

/** What the connections of a lane are at, in this process. */
export interface LaneUse {
  readonly inUse: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
  readonly most: number;
}
