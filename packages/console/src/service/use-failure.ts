import { useMemo } from 'react';
import { failureOf, type Failure } from './failure.ts';

/** What an error says, the same object as long as the error is the same; forms tell news from that. */
export function useFailure(error: Error | null): Failure | undefined {
  return useMemo(() => (error === null ? undefined : failureOf(error)), [error]);
}
