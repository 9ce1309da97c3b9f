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
 * Runs shell lines that start the service in the foreground, and waits for the last line that
 * `patchbay start` prints.
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
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line);
    if (line.startsWith('# 6')) break;
  }
  child.stdout.resume();
  const url = told.find((line) => line.startsWith('BASE='))?.slice('BASE='.length);
  if (url === undefined) throw new Error(`The service did not start:\n${told.join('\n')}`);
  return {
    url,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await closed;
    },
  };
}
