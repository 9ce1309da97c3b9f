/** What a statement is for, those who wait least first: each lane has connections of its own. `scans` are long searches. */
export const LANES = ['control', 'calls', 'searches', 'scans', 'replication'] as const;

export type Lane = (typeof LANES)[number];

/** The `application_name` of the connections of a lane. */
export function connectionNameOf(lane: Lane): string {
  return `patchbay ${lane}`;
}

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
