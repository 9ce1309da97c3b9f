import assert from 'node:assert/strict';
import { run } from '../../src/run.ts';
import type { Terminal } from '../../src/terminal.ts';
import { NO_PROFILES, type Finished } from './run-cli.ts';

/**
 * Runs `patchbay` in this process, with its output in a pipe and no terminal: the same commands as
 * in a process of their own, without the seconds that those take to start.
 */
export async function callCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const said = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    isInteractive: false,
    canAsk: false,
    canRedraw: false,
    canRedrawErr: false,
    width: () => Infinity,
    errWidth: () => Infinity,
    height: () => Infinity,
    bold: (text) => text,
  };
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
