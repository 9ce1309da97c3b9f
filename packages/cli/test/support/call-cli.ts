import assert from 'node:assert/strict';
import { run } from '../../src/run.ts';
import { pipedTerminal } from './piped-terminal.ts';
import { NO_PROFILES, type Finished } from './run-cli.ts';

/**
 * Runs `patchbay` in this process, with its output in a pipe and no terminal: the same commands as
 * in a process of their own, without the seconds that those take to start.
 */
export async function callCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const { terminal, said } = pipedTerminal();
  const code = await run(args, terminal, { ...NO_PROFILES, ...environment });
  return { code, ...said };
}

/** What a command prints for programs. It has to succeed, and to say nothing besides. */
export async function callJson<T>(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<T> {
  const { code, out, err } = await callCli([...args, '--json'], environment);
  assert.deepEqual([code, err], [0, '']);
  return JSON.parse(out) as T;
}
