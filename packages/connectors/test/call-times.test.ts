import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ConnectorEngine,
  findKind,
  newCallTimes,
  type CallTimes,
} from '@patchbay/connectors/engine';
import { CREDENTIALS } from './support/connectors.ts';
import { HandClock, turning } from './support/hand-clock.ts';
import { reply, startUpstream, type Answer } from './support/upstreams.ts';

const USERS = { ok: true, members: [], response_metadata: { next_cursor: '' } };
/** How long the upstream takes for each request. */
const ANSWER_MS = 40;

describe('where the time of a call goes', () => {
  test('into its request', async () => {
    const times = await timesWith((response) => reply(response, 200, USERS));
    assert.deepEqual(times, { waitMs: 0, upstreamMs: ANSWER_MS });
  });

  test('into the pause that the upstream asked for', async () => {
    const times = await timesWith((response, nth) => {
      if (nth === 0) reply(response, 429, {}, { 'retry-after': '2' });
      else reply(response, 200, USERS);
    });
    assert.deepEqual(times, { waitMs: 2_000, upstreamMs: 2 * ANSWER_MS });
  });

  test('into the pause before another attempt', async () => {
    const times = await timesWith((response, nth) => reply(response, nth === 0 ? 503 : 200, USERS));
    assert.deepEqual(times, { waitMs: 250, upstreamMs: 2 * ANSWER_MS });
  });
});

/** Those of a call of an upstream that answers so. */
async function timesWith(answer: Answer): Promise<CallTimes> {
  const clock = new HandClock();
  await using upstream = await startUpstream((response, nth, request) => {
    clock.advance(ANSWER_MS);
    answer(response, nth, request);
  });
  const engine = new ConnectorEngine({
    kind: findKind('chat-workspace'),
    authorize: () => ({ method: 'token', values: CREDENTIALS }),
    config: {},
    baseUrl: upstream.url,
    upstreamLimits: 'reactive',
    clock,
    random: () => 1,
  });
  const times = newCallTimes();
  const call = engine.prepare({ entity: 'users', action: 'list', params: {} });
  await turning(clock, call.send({ times }));
  return times;
}
