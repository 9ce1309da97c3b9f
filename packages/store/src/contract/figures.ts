/** How many connectors of a kind are in a state, those that are deleted left out. */
export interface ConnectorCount {
  readonly kind: string;
  /** One of `ConnectorState`. */
  readonly state: string;
  readonly count: number;
}

/** How far the copies of a kind are behind, of connectors in a state. */
export interface CopyLag {
  readonly kind: string;
  /** One of `ConnectorState`. */
  readonly state: string;
  /**
   * Seconds since the end of the last sync that succeeded (or since the creation, before the first), of
   * the connector for which that is longest. Those that nothing is to be copied for, or whose user has
   * to do something first, do not count.
   */
  readonly seconds: number;
}

/** Work that waits in the tables, whoever is to do it. */
export interface WaitingWork {
  /** Connectors that a sync is due of, asked for or by schedule, and nobody is at; and syncs that are being done. */
  readonly queuedSyncs: number;
  readonly runningSyncs: number;
  /** Seconds since the first of those was due; 0 where there is none. */
  readonly oldestQueuedSeconds: number;
  /** Connectors whose records are to be deleted. */
  readonly clearings: number;
  /** Credentials to be renewed now, and to be revoked. */
  readonly renewals: number;
  readonly revocations: number;
}

/** What the database knows of all processes together. */
export interface Figures {
  readonly connectors: readonly ConnectorCount[];
  readonly lags: readonly CopyLag[];
  readonly work: WaitingWork;
  /** Processes that copy records. */
  readonly workers: number;
}
