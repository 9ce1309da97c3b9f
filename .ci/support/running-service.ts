import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Place } from './run.ts';

/** A service that a document's own line started. */
export interface RunningService {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs shell lines that start the service in the foreground, and waits until `patchbay start` says that it
 * is ready: as to a log, where it prints no token.
 */
export async function startWith(lines: string, { cwd, env }: Place): Promise<RunningService> {
  // A process group of its own, so that the service ends with the npx before it.
  const child = spawn('bash', ['-c', lines], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const told: string[] = [];
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    url = /^Patchbay is ready at (\S+)/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  child.stdout.resume();
  if (url === undefined) throw new Error(`The service did not start:\n${told.join('\n')}`);
  return {
    url,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await closed;
    },
  };
}
