/** How the service ran a call. */
export interface ExecutionMetadata {
  readonly connector_instance_id: string;
  readonly execution_time_ms: number;
  readonly request_id: string;
  /** Set where the upstream is not the real one. */
  readonly upstream?: string;
}

/** How fresh the copy is that was searched. */
export interface Freshness {
  /** `never`, `syncing`, `idle`, `failed` or `paused`. */
  readonly state: string;
  /** Start of the last complete read. */
  readonly as_of: string | null;
  /** The first full read is done; until then hits are missing. */
  readonly complete: boolean;
  /** Seconds since `as_of`. */
  readonly lag_seconds: number | null;
}

/** One page of what a search found. */
export interface SearchPage<H> {
  readonly hits: readonly H[];
  /** Cursor of the next page, or null. */
  readonly next_cursor: string | null;
  readonly took_ms: number;
  readonly sync: Freshness;
  readonly execution_metadata: ExecutionMetadata;
}

/** A hit, untyped. */
export interface UntypedHit {
  readonly id: string;
  readonly score: number;
  readonly data: Readonly<Record<string, unknown>>;
}
