/**
 * Why work on a connector ends before it is done:
 *
 * | reason | what becomes of the run |
 * |---|---|
 * | `shutdown` | stays as it is; whoever starts next goes on with it |
 * | `turn_over` | stays as it is; it is gone on with at the connector's next turn |
 * | `lease_lost` | is another process's now |
 * | `deleted` | nobody's any more |
 * | `revoked` | cancelled; a revocation is final, so there is no other |
 * | `paused` | cancelled; the connector's copying is paused, or it is disabled, and goes on where it was afterwards |
 * | `changed` | cancelled; credentials or settings are others now, and the next run has them |
 * | `reauth_required` | failed; goes on with new credentials |
 */
export type StopReason =
  | 'shutdown'
  | 'turn_over'
  | 'lease_lost'
  | 'deleted'
  | 'revoked'
  | 'paused'
  | 'changed'
  | 'reauth_required';

/** The reason of the signals that end work on a connector. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: StopReason;
  /** What the upstream said, where it refused the credentials. */
  readonly why: string | undefined;

  constructor(
    reason: StopReason,
    { why, ...options }: { readonly cause?: unknown; readonly why?: string } = {},
  ) {
    super(`The work on a connector ends: ${reason}.`, options);
    this.reason = reason;
    this.why = why;
  }
}

/** Whether work ends since others have their turns now. */
export function isTurnOver(error: unknown): boolean {
  return error instanceof StoppedError && error.reason === 'turn_over';
}
