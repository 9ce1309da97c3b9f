import { syncBuiltinESMExports } from 'node:module';
import threads, { isMainThread } from 'node:worker_threads';

/** Loaded before a program whose threads are to die: SIGUSR2 ends those there are. */
if (isMainThread) {
  const workers = new Set<threads.Worker>();
  threads.Worker = class extends threads.Worker {
    constructor(...parameters: ConstructorParameters<typeof threads.Worker>) {
      super(...parameters);
      workers.add(this);
    }
  };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => {
    for (const worker of workers) void worker.terminate();
    workers.clear();
  });
}
