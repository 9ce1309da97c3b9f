import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { makeLogSink } from '../../test/support/log-sink.ts';
import { makeLogger } from '../log.ts';
import { ActiveCalls } from '../operations/active-calls.ts';
import { shutDown } from './shutdown.ts';

test('what fails to end, or does not in time, keeps nothing else from its end', async () => {
  const log = makeLogSink();
  const ended: string[] = [];
  await shutDown({
    app: fastify(),
    activeCalls: new ActiveCalls(),
    logger: makeLogger({ destination: log }),
    graceMs: 1_000,
    work: [
      { what: 'one', end: () => Promise.reject(new Error('it is broken')) },
      { what: 'another', withinMs: 10, end: () => new Promise(() => {}) },
    ],
    farewells: [
      { what: 'a third', end: () => Promise.reject(new Error('so is this')) },
      { what: 'the last', end: () => Promise.resolve(ended.push('the last')) },
    ],
  });
  assert.deepEqual(ended, ['the last']);
  assert.deepEqual(
    log.lines().map(({ msg }) => msg),
    ['one', 'another', 'a third'].map((what) => `The service closed without ${what}.`),
  );
});
