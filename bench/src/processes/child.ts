import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** A server in a process of its own, so that it does not share a thread with what is measured. */
export interface ServerProcess extends AsyncDisposable {
  /** What the process said it serves. */
  readonly ready: Readonly<Record<string, string>>;
  isAlive(): boolean;
  /** What the process has used so far, all its threads together, with what it reports besides. */
  usage(): Promise<Usage>;
}

interface Usage {
  readonly peakBytes: number;
  readonly cpuMicroseconds: number;
  readonly report: Readonly<Record<string, string>>;
}

/** One that does not end by itself within that time is killed. */
const END_WITHIN_MS = 12_000;

/** Starts a module of this folder that sends one message when it is ready. */
export async function startServerProcess(
  module:
    | 'sandbox-process.ts'
    | 'service-process.ts'
    | 'forwarder-process.ts'
    | 'iterate-process.ts'
    | 'replica-process.ts'
    | 'tenants-process.ts'
    | 'neighbours-service-process.ts'
    | 'files-process.ts'
    | 'small-accounts-process.ts'
    | 'small-records-process.ts'
    | 'light-tenants-process.ts'
    | 'attack-process.ts',
  environment: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(new URL(module, import.meta.url), {
    execArgv: ['--conditions=patchbay-source', ...nodeFlags],
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = await firstMessage(child, module);
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    ready,
    isAlive,
    usage: async () => {
      const answer = nextMessage(child);
      child.send('usage');
      const { peakBytes, cpuMicroseconds, ...report } = await answer;
      return { peakBytes: Number(peakBytes), cpuMicroseconds: Number(cpuMicroseconds), report };
    },
    [Symbol.asyncDispose]: async () => {
      if (!isAlive()) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([exited, wait(END_WITHIN_MS, undefined, { ref: false })]);
      if (!isAlive()) return;
      console.error(`${module} did not end in ${END_WITHIN_MS / 1000} s and was killed`);
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function firstMessage(child: ChildProcess, module: string): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${module} ended before it was ready`)));
    void nextMessage(child).then(resolve);
  });
}

function nextMessage(child: ChildProcess): Promise<Record<string, string>> {
  return new Promise((resolve) => {
    // The modules of this folder send flat objects of strings.
    child.once('message', (message) => resolve(message as Record<string, string>));
  });
}
