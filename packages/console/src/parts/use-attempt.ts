import { useState } from 'react';
import { failureOf, type Failure } from '../service/failure.ts';

/** Something that is tried, one attempt at a time. */
export interface Attempt {
  readonly isBusy: boolean;
  /** Of the last attempt, until the next one. */
  readonly failure: Failure | undefined;
  readonly run: (work: () => Promise<void>) => void;
}

/** For what is done with secrets: unlike a mutation it keeps neither what was given nor what came of it. */
export function useAttempt(): Attempt {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const run = (work: () => Promise<void>) => {
    setIsBusy(true);
    setFailure(undefined);
    work()
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setIsBusy(false));
  };
  return { isBusy, failure, run };
}
