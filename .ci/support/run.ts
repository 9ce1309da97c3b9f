import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Where and with what a command runs. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const TIMEOUT_MS = 240_000;

/**
 * Runs a command to its end.
 *
 * @returns What it wrote on standard output.
 * @throws Error with everything it wrote, when it fails or takes longer than four minutes.
 */
export async function run(
  command: string,
  args: readonly string[],
  { cwd, env }: Place,
): Promise<string> {
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
  if (child.exitCode === 0) return out;
  throw new Error(
    `${command} ${args.join(' ')} ended with ${child.exitCode ?? child.signalCode} in ${cwd}:\n${out}${err}`,
  );
}
