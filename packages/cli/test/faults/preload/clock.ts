import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads, { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** Loaded before a program whose clock is to be set: SIGUSR2 has it read how far, in all threads. */
const CLOCK_FILE = process.env['FAULTS_CLOCK_FILE'] ?? '';
const CHANNEL = 'faults-clock';

const RealDate = Date;
const realNow = Date.now.bind(Date);
let aheadMs = readAhead();

RealDate.now = () => realNow() + aheadMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: readonly unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now()] : args, newTarget) as Date,
});

const channel = new BroadcastChannel(CHANNEL);
channel.addEventListener('message', () => {
  aheadMs = readAhead();
});
channel.unref();

if (isMainThread) {
  process.on('SIGUSR2', () => {
    aheadMs = readAhead();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    channel.postMessage('set');
  });
  // Threads that are started with flags of their own would not load this.
  threads.Worker = class extends threads.Worker {
    constructor(...[url, options]: ConstructorParameters<typeof threads.Worker>) {
      const execArgv = [...(options?.execArgv ?? []), '--import', import.meta.url];
      super(url, { ...options, execArgv });
    }
  };
  syncBuiltinESMExports();
}

function readAhead(): number {
  return Number(readFileSync(CLOCK_FILE, 'utf8'));
}
