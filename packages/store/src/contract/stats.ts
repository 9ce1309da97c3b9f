/** What is counted of a subject: a connector, an application, or the whole service. */
export interface StatCounts {
  readonly calls: number;
  /** Of the calls, those that did not succeed. */
  readonly errors: number;
  /** How many calls took how long, as whoever counts divides that; all rows have as many parts, or none. */
  readonly latency: readonly number[];
  /** Requests to the upstream, of calls and of syncs. */
  readonly upstreamRequests: number;
  /** How long they waited for the upstream's budget, all together. */
  readonly upstreamWaitMs: number;
  /** Records that syncs have copied. */
  readonly records: number;
}

export interface StatRow extends StatCounts {
  /** A UUID. */
  readonly subjectId: string;
  /** The beginning of the minute. */
  readonly minute: Date;
}

/** What was counted from an instant on, for one step. */
export interface StatPoint extends StatCounts {
  readonly at: Date;
}

export interface StatQuery {
  readonly subjectId: string;
  /** The minutes from `from` to before `to`. */
  readonly from: Date;
  readonly to: Date;
  /** Points are at its multiples since 1970. */
  readonly stepSeconds: number;
  /** How many parts a latency has. */
  readonly latencyParts: number;
}

/** What happened, counted by the minute, by all processes together. */
export interface Stats {
  /** Adds to what other processes have counted for the same subjects and minutes: one statement. */
  add(rows: readonly StatRow[]): Promise<void>;
  /** In order; where nothing was counted, there is no point. */
  series(query: StatQuery): Promise<readonly StatPoint[]>;
  /** Deletes at most `limit` rows of minutes that began at least that long ago; returns how many there were. */
  deleteOlderThan(ageMs: number, limit: number): Promise<number>;
}
