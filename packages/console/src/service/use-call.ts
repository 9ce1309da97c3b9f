import { useEffect, useRef, useState } from 'react';
import { failureOf, type Failure } from './failure.ts';
import { execute, type Answer, type Call } from './execute.ts';
import { useService } from './service.tsx';

/** A call that somebody means: a write has a key, so that it happens once however often it is sent. */
export interface Intent {
  readonly call: Call;
  /** Absent for reads. */
  readonly idempotencyKey?: string;
}

/** A call that did not end well. */
export interface Trouble {
  readonly failure: Failure;
  readonly intent: Intent;
  /** Nobody knows whether the write happened: sending it again with its key is safe, and tells. */
  readonly isOutcomeUnknown: boolean;
  readonly isStopped: boolean;
}

/** How calls are going: one at a time. */
export interface CallControl {
  readonly isRunning: boolean;
  /** Of the last call that answered, while the next one runs, too. */
  readonly answer: Answer | undefined;
  readonly trouble: Trouble | undefined;
  /** Gives up a call that is still running. */
  readonly run: (intent: Intent) => Promise<Answer | undefined>;
  readonly stop: () => void;
}

/** Codes after which a write may have happened, and its key is kept (docs/wire.md#idempotency). */
const UNSETTLED: ReadonlySet<string | undefined> = new Set([
  'write_outcome_unknown',
  'idempotency_in_progress',
]);

/** Calls of one component; they end with it. */
export function useCall(): CallControl {
  const service = useService();
  const running = useRef<AbortController>(undefined);
  const [isRunning, setIsRunning] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const [trouble, setTrouble] = useState<Trouble>();
  useEffect(() => () => running.current?.abort(), []);
  const run = async (intent: Intent) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const isCurrent = () => running.current === controller;
    setIsRunning(true);
    setTrouble(undefined);
    try {
      const { call, ...key } = intent;
      const found = await execute(service, call, { ...key, signal: controller.signal });
      if (!isCurrent()) return undefined;
      setAnswer(found);
      return found;
    } catch (error) {
      if (isCurrent()) setTrouble(troubleOf(intent, error, controller.signal.aborted));
      return undefined;
    } finally {
      if (isCurrent()) setIsRunning(false);
    }
  };
  return { isRunning, answer, trouble, run, stop: () => running.current?.abort() };
}

function troubleOf(intent: Intent, error: unknown, isStopped: boolean): Trouble {
  const isWrite = intent.idempotencyKey !== undefined;
  if (!isStopped) {
    const failure = failureOf(error);
    const isOutcomeUnknown = isWrite && UNSETTLED.has(failure.code);
    return { failure, intent, isOutcomeUnknown, isStopped };
  }
  const message = isWrite
    ? 'You stopped waiting. The service goes on with a write that has reached it.'
    : 'You stopped the call.';
  const failure = { message, code: undefined, faults: [], requestId: undefined };
  return { failure, intent, isOutcomeUnknown: isWrite, isStopped };
}
