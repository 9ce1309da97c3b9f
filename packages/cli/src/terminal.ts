/** Where a command writes: results on `out`, everything else on `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person reads `out`, as opposed to a file or another program. */
  readonly isInteractive: boolean;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isInteractive: process.stdout.isTTY,
};

/** A failure that is the user's to mend: one sentence, no stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Resolves with the reason when the process is asked to stop. */
export function untilStopped(environment: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
    if (environment['npm_lifecycle_event'] !== undefined)
      onOrphaned(() => resolve('npm has ended'));
  });
}

const PARENT_CHECKED_EVERY_MS = 250;

/**
 * A `kill` of npm ends npm and its shell, but the shell tells nobody: its child would live on
 * unseen and keep the data folder. There is no event for that, so the parent is looked at.
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
