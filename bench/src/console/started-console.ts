import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Of util-linux: it gives a command a terminal, without which a start shows no link. */
const SCRIPT = '/usr/bin/script';

/** `npm start` in a fresh folder. */
export interface StartedConsole extends AsyncDisposable {
  /** Signs in once. */
  readonly link: string;
  /** From the command to the link, in milliseconds. */
  readonly startMs: number;
}

/** @throws Error with what the start said where it ends before it shows a link. */
export async function startConsole(): Promise<StartedConsole> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
  const startedAt = performance.now();
  const child = spawn(SCRIPT, ['-qefc', 'exec npm start', '/dev/null'], {
    cwd: ROOT,
    env: { ...process.env, PATCHBAY_DATA: join(folder, 'data'), PORT: '0', TERM: 'dumb' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const link = await linkIn(child);
    return { link, startMs: performance.now() - startedAt, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function linkIn(child: ChildProcess): Promise<string> {
  let said = '';
  // Proven: its output is piped.
  for await (const piece of child.stdout ?? []) {
    said += String(piece);
    const [link] = /http:\/\/\S+\/console#\w[\w.-]{20,}(?=\s)/.exec(said) ?? [];
    if (link !== undefined) {
      child.stdout?.resume();
      return link;
    }
  }
  throw new Error(`npm start showed no link:\n${said}`);
}

/** With its children: npm and the service are in the group of `script`, or end with its terminal. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await exited;
}
