import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** What a finished process said. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A `patchbay` process that is running. */
export interface RunningCli {
  readonly process: ChildProcess;
  /** Resolves with all of standard output once it holds the text. */
  readonly untilOut: (text: string) => Promise<string>;
  readonly finished: Promise<Finished>;
}

/** Starts `patchbay` as a user would, with only the given settings. */
export function startCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningCli {
  return startProcess(process.execPath, ['--conditions=patchbay-source', MAIN, ...args], {
    PATH: process.env['PATH'] ?? '',
    ...environment,
  });
}

/** Runs shell lines, as pasted by a user. */
export async function runShell(lines: string): Promise<Finished> {
  return startProcess('bash', ['-c', lines], { PATH: process.env['PATH'] ?? '' }).finished;
}

/** A folder of the test's own. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-cli-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function startProcess(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): RunningCli {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const finished = once(child, 'close').then((): Finished => ({ code: child.exitCode, ...said }));
  const untilOut = async (text: string) => {
    while (!said.out.includes(text)) {
      if (child.exitCode !== null)
        throw new Error(`it ended with ${child.exitCode}: ${said.out}${said.err}`);
      await Promise.race([once(child.stdout, 'data'), finished]);
    }
    return said.out;
  };
  return { process: child, untilOut, finished };
}
