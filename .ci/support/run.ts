import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Where and with what a command runs. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How a command ended, and what it wrote. */
export interface Ended {
  /** `null` where a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What takes half a minute on a machine with nothing else to do takes much longer on others. */
const TIMEOUT_MS = 900_000;

/**
 * Runs a command to its end.
 *
 * @returns What it wrote on standard output.
 * @throws Error with everything it wrote, when it fails or takes longer than a quarter of an hour.
 */
export async function run(command: string, args: readonly string[], place: Place): Promise<string> {
  const { code, out, err } = await runToEnd(command, args, place);
  if (code === 0) return out;
  throw new Error(`${command} ${args.join(' ')} ended with ${code} in ${place.cwd}:\n${out}${err}`);
}

/** The same of a command that may fail; one that takes longer than a quarter of an hour is ended. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  { cwd, env }: Place,
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: child.exitCode, out, err };
}

/** Runs shell lines, as a reader of a document does, to their end. */
export async function runShell(lines: string, place: Place): Promise<string> {
  return await run('bash', ['-euo', 'pipefail', '-c', lines], place);
}
