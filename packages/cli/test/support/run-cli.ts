import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '@patchbay/store/testing';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Most of the time that these processes take is for compiling what does not change. */
const COMPILE_CACHE = fileURLToPath(
  new URL('../../../../node_modules/.cache/patchbay-cli', import.meta.url),
);

/** What a finished process said. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A `patchbay` process that is running. */
export interface RunningCli {
  readonly process: ChildProcess;
  /** Resolves with all of standard output once it holds the text, `count` times. */
  readonly untilOut: (text: string, count?: number) => Promise<string>;
  /** The same of standard error. */
  readonly untilErr: (text: string, count?: number) => Promise<string>;
  readonly finished: Promise<Finished>;
}

/** A `patchbay` process in a terminal of its own. */
export interface TerminalCli extends RunningCli {
  /** Types, as a person would; `\r` is Enter, `\u0003` is Ctrl-C. */
  readonly type: (text: string) => void;
}

type Environment = Readonly<Record<string, string>>;

/** The command line that `patchbay` stands for in a checkout. */
export const CLI_COMMAND: readonly string[] = [process.execPath, ...NODE_FLAGS, MAIN];

/** A script that does what an installed `patchbay` does. */
export const CLI_SCRIPT = `#!/bin/sh\nexec ${CLI_COMMAND.map((word) => `'${word}'`).join(' ')} "$@"\n`;

/** Starts `patchbay` as a user would, with only the given settings. */
export function startCli(
  args: readonly string[],
  environment: Environment,
  input?: string,
): RunningCli {
  return startProcess([...CLI_COMMAND, ...args], commandEnvironment(environment), input).running;
}

/** Starts shell lines, as pasted by a user. */
export function startShell(lines: string, environment: Environment = {}): RunningCli {
  return startProcess(['bash', '-c', lines], commandEnvironment(environment)).running;
}

/** Runs shell lines to their end. */
export async function runShell(lines: string, environment: Environment = {}): Promise<Finished> {
  return startShell(lines, environment).finished;
}

/** Starts `patchbay` in a pseudo-terminal, whose output is standard output and error alike. */
export function startInTerminal(
  args: readonly string[],
  environment: Environment,
  { columns = 100, rows = 30 }: { readonly columns?: number; readonly rows?: number } = {},
): TerminalCli {
  const words = [...CLI_COMMAND, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const lines = `stty columns ${columns} rows ${rows}; exec ${words.join(' ')}`;
  return startLinesInTerminal(lines, environment);
}

/** Starts shell lines in a pseudo-terminal, as typed by a user. */
export function startLinesInTerminal(lines: string, environment: Environment): TerminalCli {
  const terminal = ['script', '--quiet', '--return', '--command', lines, '/dev/null'];
  const settings = { TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/sh', ...environment };
  const { running, input } = startProcess(
    terminal,
    commandEnvironment(settings),
    undefined,
    'open',
  );
  return { ...running, type: (text) => void input?.write(text) };
}

/** Where no profile is, so that none of whoever runs the tests counts. */
export const NO_PROFILES: Environment = {
  XDG_CONFIG_HOME: join(tmpdir(), `patchbay-cli-no-profiles-${process.pid}`),
};

/** The settings, with what every process needs besides. */
export function commandEnvironment(environment: Environment): Environment {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...NO_PROFILES,
    ...environment,
  };
}

/** A folder of the test's own; in memory where `.ci/test` has found room there. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'patchbay-cli-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function startProcess(
  [command = '', ...args]: readonly string[],
  env: Environment,
  text?: string,
  input?: 'open',
): { readonly running: RunningCli; readonly input: Writable | null } {
  const takesInput = text !== undefined || input === 'open';
  const child = spawn(command, args, {
    env,
    stdio: [takesInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  if (text !== undefined) child.stdin?.end(text);
  const said = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (said.out += part));
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (said.err += part));
  const finished = once(child, 'close').then((): Finished => ({ code: child.exitCode, ...said }));
  const until = async (stream: 'out' | 'err', wanted: string, count = 1) => {
    const source = stream === 'out' ? child.stdout : child.stderr;
    while (said[stream].split(wanted).length <= count) {
      const ending = child.exitCode ?? child.signalCode;
      if (ending !== null) throw new Error(`it ended with ${ending}: ${said.out}${said.err}`);
      await Promise.race([source === null ? finished : once(source, 'data'), finished]);
    }
    return said[stream];
  };
  const running: RunningCli = {
    process: child,
    untilOut: (wanted, count) => until('out', wanted, count),
    untilErr: (wanted, count) => until('err', wanted, count),
    finished,
  };
  return { running, input: child.stdin };
}
