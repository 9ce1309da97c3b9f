import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as answered } from 'node:timers/promises';
import type { PoolClient, QueryConfig } from 'pg';
import { PooledClient } from './pooled-client.ts';

test('statements sent in one go leave as one packet', async () => {
  const packets: string[][] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      packets.push([String(chunk)]);
      done();
    },
    writev: (chunks, done) => {
      packets.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  const query = async ({ text }: QueryConfig) => {
    stream.write(text);
    return await answered({ rows: [] });
  };
  // The client asks no more of the driver's than this.
  const driver = { connection: { stream }, query } as unknown as PoolClient;
  const client = new PooledClient(driver, {
    description: 'a database',
    statementMs: undefined,
    transactionSettings: undefined,
    signal: undefined,
  });
  await Promise.all(['begin', 'select 1', 'commit'].map((text) => client.send(text, [])));
  await client.send('select 2', []);
  assert.deepEqual(packets, [['begin', 'select 1', 'commit'], ['select 2']]);
});
