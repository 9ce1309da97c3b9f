import type { Shaping } from './fault-board.ts';

/** The vendor's error that an `upstreamError` fault answers with. */
export interface InjectedError {
  readonly code: string;
  /** Undefined for the status that the vendor itself would give. */
  readonly status: number | undefined;
}

/** The first error that faults answer with before the call takes effect, or after it did. */
export function injectedError(
  shaping: readonly Shaping[],
  stage: 'before' | 'after',
): InjectedError | undefined {
  for (const { fault } of shaping) {
    if (fault.kind !== 'upstreamError' && fault.kind !== 'slackError') continue;
    const isAfter = fault.afterApplying === true;
    if (isAfter !== (stage === 'after')) continue;
    return { code: fault.error, status: 'status' in fault ? fault.status : undefined };
  }
  return undefined;
}
