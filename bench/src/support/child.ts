import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A server in a process of its own, so that it does not share a thread with what is measured. */
export interface ServerProcess extends AsyncDisposable {
  /** What the process said it serves. */
  readonly ready: Readonly<Record<string, string>>;
  /** What the process has used so far, all its threads together. */
  usage(): Promise<{ readonly peakBytes: number; readonly cpuMicroseconds: number }>;
}

/** Starts a module of `support/` that sends one message when it is ready. */
export async function startServerProcess(
  module:
    | 'sandbox-process.ts'
    | 'service-process.ts'
    | 'forwarder-process.ts'
    | 'iterate-process.ts'
    | 'replica-process.ts'
    | 'tenants-process.ts',
  environment: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
): Promise<ServerProcess> {
  const child = fork(new URL(module, import.meta.url), {
    execArgv: ['--conditions=patchbay-source', ...nodeFlags],
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = await firstMessage(child, module);
  return {
    ready,
    usage: async () => {
      const answer = nextMessage(child);
      child.send('usage');
      const { peakBytes, cpuMicroseconds } = await answer;
      return { peakBytes: Number(peakBytes), cpuMicroseconds: Number(cpuMicroseconds) };
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
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
    // The modules of support/ send flat objects of strings.
    child.once('message', (message) => resolve(message as Record<string, string>));
  });
}
