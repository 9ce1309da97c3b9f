/** One request to an upstream, when it is over. */
export interface UpstreamAttempt {
  readonly entity: string;
  readonly action: string;
  /** 1 for the first request of a call. */
  readonly number: number;
  /** HTTP status; `undefined` where no answer came. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

/** A call that its upstream's budget made wait, when that is over; whether or not it then went out. */
export interface BudgetWait {
  readonly priority: 'interactive' | 'background';
  readonly durationMs: number;
}

/**
 * Told of what goes to the upstream's API, for figures; it must not throw. The bytes of files, and what
 * authorization servers are asked, are not among it.
 */
export interface UpstreamObserver {
  readonly onAttempt: (attempt: UpstreamAttempt) => void;
  readonly onBudgetWait: (wait: BudgetWait) => void;
}
