/** For which time, and of what. */
export interface StatsQuery {
  /** Instants in UTC, such as `2026-11-22T09:00:00Z`: the last hour unless said, 7 days at most. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Seconds from a point to the next: a multiple of 60. */
  readonly step?: number | undefined;
  /** Of one connector alone. */
  readonly connector_id?: string | undefined;
}
