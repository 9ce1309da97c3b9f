import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { StoreOptions } from '../../src/store-options.ts';
import { NODE_FLAGS } from './node-flags.ts';

/** A child process that has a store open. */
export interface StoreProcess {
  /** The next line it prints; `undefined` once it prints no more. */
  nextLine(): Promise<string | undefined>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
  /** Lets it close its store and end. */
  finish(): Promise<void>;
}

/** @param organizations How many it stores, one after the other, after opening. */
export function startStoreProcess(options: StoreOptions, organizations = 0): StoreProcess {
  return startProcess('store-process.ts', options, String(organizations));
}

/**
 * @param script A file of this folder.
 * @param parameters What it takes after the options of the store.
 */
export function startProcess(
  script: string,
  options: StoreOptions,
  ...parameters: readonly string[]
): StoreProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, file, JSON.stringify(options), ...parameters],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    nextLine: async () => {
      const next = await lines.next();
      return next.done === true ? undefined : next.value;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    finish: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
