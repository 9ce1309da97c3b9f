import { once } from 'node:events';
import { EXIT_CODES } from './output/exit-codes.ts';

/** That of a terminal that closes, and of supervisors that reload, too: there is nothing to reload. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts when the process is asked to stop, with a word on why as its reason. A second signal ends
 * the process at once.
 */
export function stopSignal(environment: NodeJS.ProcessEnv): AbortSignal {
  const controller = new AbortController();
  // Listened to without a break: where nobody listens, a signal ends the process by itself.
  for (const signal of SIGNALS)
    process.on(signal, () => {
      const exit = signal === 'SIGINT' ? 'interrupted' : 'terminated';
      if (controller.signal.aborted) process.exit(EXIT_CODES[exit].code);
      controller.abort(signal);
    });
  if (environment['npm_lifecycle_event'] !== undefined)
    onOrphaned(() => controller.abort('npm has ended'));
  return controller.signal;
}

/** Resolves when the signal aborts, at once if it has. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Most supervisors kill what has not ended 10 s after they asked for it. */
const STOP_WITHIN_MS = 9_500;

/**
 * Ends the process where a stop that was asked for takes too long; `tell` says so.
 *
 * @param drainMs How long the stop goes on answering calls before it ends anything.
 */
export function cutLateStop(stopping: AbortSignal, drainMs: number, tell: () => void): void {
  stopping.addEventListener('abort', () =>
    setTimeout(() => {
      tell();
      process.exit(EXIT_CODES.unfinished.code);
    }, drainMs + STOP_WITHIN_MS),
  );
}

const PARENT_CHECKED_EVERY_MS = 250;

/**
 * A `kill` of npm ends npm and its shell, but the shell passes no signal on: its child would live
 * on unseen and keep the data folder. There is no event for that, so the parent's id is polled.
 */
function onOrphaned(callback: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, PARENT_CHECKED_EVERY_MS);
  timer.unref();
}
