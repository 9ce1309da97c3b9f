/** Which calls a fault meets. Without `times` it stays until removed. */
export interface FaultScope {
  /** Only calls of this method, such as `users.list` or `GET /contacts`; all otherwise. */
  readonly method?: string;
  /** How many calls it meets before it is spent. */
  readonly times?: number;
  /** How many matching calls pass unharmed first. */
  readonly skip?: number;
  /** Only each nth of the matching calls behind those: the nth, the 2nth and so on. */
  readonly every?: number;
}

/**
 * One way of going wrong. `afterApplying` lets a write take effect before the answer is spoilt, so
 * that a client cannot know whether it did.
 */
export type Fault = FaultScope &
  (
    | { readonly kind: 'rateLimit'; readonly retryAfterSeconds?: number }
    | {
        readonly kind: 'serverError';
        readonly status?: number;
        readonly body?: 'json' | 'html';
        readonly afterApplying?: boolean;
      }
    | { readonly kind: 'htmlBody'; readonly afterApplying?: boolean }
    | { readonly kind: 'truncate'; readonly how?: 'connection' | 'json' }
    | { readonly kind: 'cutConnection'; readonly afterApplying?: boolean }
    | { readonly kind: 'delay'; readonly delayMs: number }
    | { readonly kind: 'hang'; readonly afterApplying?: boolean }
    | { readonly kind: 'oversize'; readonly bytes?: number }
    | { readonly kind: 'repeatCursor' }
    | { readonly kind: 'mutateWhilePaging'; readonly change: 'insert' | 'delete' | 'update' }
    | { readonly kind: 'unknownFields' }
    | { readonly kind: 'arrayBody'; readonly where?: 'body' | 'records' | 'fields' }
    | { readonly kind: 'bareWrites' }
    /** A page for people gives up its tie to the window that opened it. */
    | { readonly kind: 'cutOpener' }
    | { readonly kind: 'revokeToken'; readonly token?: string }
    | {
        readonly kind: 'upstreamError';
        /** The vendor's code. */
        readonly error: string;
        /** The vendor's usual status by default. */
        readonly status?: number;
        readonly afterApplying?: boolean;
      }
    | {
        readonly kind: 'redirect';
        /**
         * Where a redirect to a file leads: `undeclaredHost` to `localhost`, a host that clients do
         * not expect (the file host answers there, so that a visit shows in the log), `http` to a
         * plain-HTTP address that never resolves, `loop` to the redirect itself; else to this URL.
         */
        readonly to: string;
      }
    /** The older name of `upstreamError`. */
    | { readonly kind: 'slackError'; readonly error: string; readonly afterApplying?: boolean }
  );

/** The name of a fault. */
export type FaultKind = Fault['kind'];

/** A fault of one kind. */
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;

/** A fault as it stands: what it is, how often it was met, how often it may still be met. */
export interface ActiveFault {
  readonly id: string;
  /** As added; a `token` in it is replaced by `[token]`. */
  readonly fault: Fault;
  readonly hits: number;
  /** Null when it stays until removed. */
  readonly remaining: number | null;
}

/** Control over one fault that was added. */
export interface FaultHandle {
  readonly id: string;
  /** How many calls have met it so far. */
  readonly hits: number;
  /** Removes the fault; calls hanging in it go on. Removing twice is harmless. */
  release(): void;
  /** Resolves once `count` calls (1 by default) have met it: no polling, no sleeping. */
  whenHit(count?: number): Promise<void>;
}

/** Makes the sandbox misbehave on demand. */
export interface FaultControl {
  /** Adds a fault; several may meet the same call, in the order they were added. */
  add(fault: Fault): FaultHandle;
  /** The faults that can still be met or still hold calls. */
  list(): readonly ActiveFault[];
  /** Removes one by id; false when there is none. */
  remove(id: string): boolean;
  /** Removes them all; calls hanging in them go on. */
  clear(): void;
}
