import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { KindName } from '@patchbay/connectors';
import type { ReplicationSettings, UpstreamSettings } from '../../src/index.ts';
import { textAt } from '../support/http-client.ts';
import { connectorBody, logIn } from '../support/start-test-service.ts';
import { until } from '../support/until.ts';
import {
  bodyOf,
  DATABASE,
  makeReplicationGround,
  poll,
  type ReplicatingService,
  type ReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';
import { startProxy, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
const OTHER_KIND = 'support-chat';
/** More than there are slots. */
const CROWD = 6;
/** As patient as a service is: whoever waits for a slot that a waiting run holds waits in vain. */
const PATIENT: Partial<ReplicationSettings> = {
  concurrency: 4,
  patienceMs: 600_000,
  waits: { firstMs: 30_000, longestMs: 60_000 },
  leaseTtlMs: 30_000,
};
const NEVER = new Promise<never>(() => undefined);
const IN_TROUBLE = { status: 503, body: '{}' };

describe(`turns of connectors, ${DATABASE.name}`, { timeout: 120_000 }, () => {
  let ground: ReplicationGround;
  let proxy: TamperingProxy;
  const crowded: string[] = [];
  before(async () => {
    ground = await makeReplicationGround(DATABASE);
    proxy = await startProxy(ground.sandbox.urls.intercom);
  });
  afterEach(async () => {
    ground.sandbox.faults.clear();
    proxy.tamper = (_, answer) => answer();
    // They would be a part of the next test's crowd, with the same credentials.
    for (const id of crowded.splice(0)) await ground.store.connectors.delete(id, randomUUID());
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });

  const start = (upstreams: UpstreamSettings, replication = PATIENT) =>
    startReplicating(ground, {
      upstreams: { ...upstreamsOf(ground.sandbox), ...upstreams },
      replication,
    });
  const behindProxy = () => start({ [KIND]: { baseUrl: proxy.url, limits: 'reactive' } });
  /** Connectors of the first application, each with credentials of its own. */
  const createCrowd = async (running: ReplicatingService): Promise<readonly string[]> => {
    for (let count = 0; count < CROWD; count++)
      crowded.push(await running.create(KIND, { credentials: { access_token: `crowd-${count}` } }));
    return [...crowded];
  };
  /** Spoils what the crowd asks for, and nothing else. */
  const spoilCrowd = (spoil: () => Promise<{ status: number; body: string }>) => {
    const spoilt = new Set<string>();
    proxy.tamper = ({ authorization }, answer) => {
      if (!authorization.includes('crowd')) return answer();
      spoilt.add(authorization);
      return spoil();
    };
    return spoilt;
  };
  const runOf = async (id: string) => (await ground.store.syncs.runs(id)).current;

  test('the first copy of another tenant waits for no unreachable upstream', async () => {
    // The discard port, which nobody listens on.
    await using running = await start({ [KIND]: { baseUrl: 'http://127.0.0.1:9' } });
    const crowd = await createCrowd(running);
    await eventually(async () => (await runOf(crowd[3] ?? ''))?.state === 'running');
    const id = await createForAnother(running, OTHER_KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    await running.assertExact(id, OTHER_KIND);
    for (const each of crowd) assert.equal((await ground.store.syncs.runs(each)).last, undefined);
  });

  test('nor for one that answers nothing', async () => {
    await using running = await behindProxy();
    const asked = spoilCrowd(() => NEVER);
    const crowd = await createCrowd(running);
    await until(() => asked.size >= 3);
    const id = await createForAnother(running, OTHER_KIND);
    const { syncs } = ground.store;
    await eventually(async () => {
      const { current, last } = await syncs.runs(id);
      return current?.state === 'running' || last !== undefined;
    });
    assert.equal(asked.size, 3, 'one application has the last slot as well');
    assert.equal((await running.settled(id)).state, 'succeeded');
    assert.equal(asked.size, 3, 'it took as long as the crowd waits for an answer');
    for (const each of crowd) assert.ok((await runOf(each)) !== undefined);
  });

  test('nor for other accounts of its kind that are in trouble', async () => {
    await using running = await behindProxy();
    const asked = spoilCrowd(() => Promise.resolve(IN_TROUBLE));
    await createCrowd(running);
    await until(() => asked.size > 0);
    const id = await createForAnother(running, KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    await running.assertExact(id, KIND);
    // All of the crowd had a turn, though there are fewer slots.
    await until(() => asked.size === CROWD);
  });

  test('a run that waits is shown as before, and ends with its connector’s pause', async () => {
    await using running = await behindProxy();
    spoilCrowd(() => Promise.resolve(IN_TROUBLE));
    const crowd = await createCrowd(running);
    const shown = async (id: string) => (await running.entity(id, 'contacts')).state === 'syncing';
    await eventually(async () => (await Promise.all(crowd.map(shown))).every(Boolean));
    for (const id of crowd) assert.equal((await runOf(id))?.state, 'running');
    const [paused = '', renewed = '', deleted = '', left = ''] = crowd;
    await running.patch(paused, { paused: true });
    assert.equal((await running.settled(paused)).state, 'cancelled');
    await running.patch(renewed, { credentials: { access_token: 'new' } });
    const run = await running.settled(renewed);
    assert.deepEqual([run.cause, run.state], ['credentials', 'succeeded']);
    const token = await running.applicationToken();
    await running.send('DELETE', `/v1/integrations/connectors/${deleted}`, { token });
    await eventually(async () => (await ground.store.syncs.uncleared(10)).length === 0);
    const resting = await runOf(left);
    await running.service.close();
    assert.deepEqual(await runOf(left), resting);
    proxy.tamper = (_, answer) => answer();
    await using next = await behindProxy();
    assert.equal((await next.settled(left)).id, resting?.id);
  });

  test('a long first copy gives way to others, and goes on where it was', async () => {
    await using slack = await startProxy(ground.sandbox.urls.slack);
    await using running = await start(
      { 'chat-workspace': { baseUrl: slack.url, limits: 'reactive' } },
      { ...PATIENT, concurrency: 1, turnMs: 300 },
    );
    const isAsked = Promise.withResolvers<void>();
    // Every page in less than a turn, all of them in far more than the other connector needs to come.
    slack.tamper = async ({ url }, answer) => {
      if (!url.pathname.includes('/conversations.')) return answer();
      isAsked.resolve();
      await wait(150);
      return answer();
    };
    const long = await running.create('chat-workspace');
    await isAsked.promise;
    const run = await runOf(long);
    const short = await createForAnother(running, OTHER_KIND);
    const shortRun = await running.settled(short);
    const longRun = await running.settled(long);
    assert.deepEqual([shortRun.state, longRun.state], ['succeeded', 'succeeded']);
    assert.equal(longRun.id, run?.id);
    assert.ok((shortRun.startedAt ?? Infinity) < (longRun.finishedAt ?? 0));
    await running.assertExact(short, OTHER_KIND);
    await running.assertExact(long, 'chat-workspace');
    const pieces = running.log.lines().filter(({ msg, run_id }) => {
      return msg === 'sync' && run_id === longRun.id;
    });
    assert.ok(pieces.some(({ state }) => state === 'interrupted'));
  });
});

async function eventually(ask: () => Promise<boolean>): Promise<void> {
  await poll(async () => ((await ask()) ? true : undefined));
}

/** Creates a connector of another application. */
async function createForAnother(
  { service, send }: ReplicatingService,
  kind: KindName,
): Promise<string> {
  const token = await logIn(send, await service.createApplication('Another tenant'));
  const body = connectorBody({ connector_type: kind, ...bodyOf(kind) });
  const answer = await send('POST', '/v1/integrations/connectors', { token, body });
  assert.equal(answer.status, 201, answer.text);
  return textAt(answer, 'id');
}
