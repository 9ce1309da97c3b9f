import { CallAbortedError } from '../operations/active-calls.ts';
import type { PublicCall } from './route.ts';

/** Runs something with a signal that aborts when the client goes. */
export async function untilDisconnect<T>(
  { onDisconnect }: Pick<PublicCall, 'onDisconnect'>,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const unwatch = onDisconnect(() => controller.abort(new CallAbortedError('client')));
  try {
    return await run(controller.signal);
  } finally {
    unwatch();
  }
}
