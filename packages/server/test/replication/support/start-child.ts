import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NODE_FLAGS } from '@patchbay/store/testing';
import { makeClient, type TestClient } from '../../support/http-client.ts';
import { logIn } from '../../support/start-test-service.ts';
import type { ChildParts } from './replication-child.ts';

/** A service in a process of its own. */
export interface ChildService {
  readonly send: TestClient;
  readonly token: string;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

export async function startChild(parts: ChildParts): Promise<ChildService> {
  const child = fork(join(import.meta.dirname, 'replication-child.ts'), [JSON.stringify(parts)], {
    execArgv: [...NODE_FLAGS],
  });
  const exited = once(child, 'exit');
  const ready: unknown[] = await Promise.race([once(child, 'message'), exited]);
  const [first] = ready;
  if (typeof first !== 'string') throw new Error('the child process ended before it was ready');
  const send = makeClient(first);
  const token = await logIn(send, parts.client);
  return {
    send,
    token,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
