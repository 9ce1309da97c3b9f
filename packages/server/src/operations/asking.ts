import type { Access } from '../access/access.ts';

/** For whom an upstream is asked something, and until when. */
export interface Asking {
  readonly signal: AbortSignal;
  /**
   * Whose call waits for it by a turn: once it has waited for long, it is none of those that callers may have while the process is
   * busy. Absent where nobody waits, or a stranger.
   */
  readonly caller?: Access | undefined;
}
