import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { errorOf } from './support/error-of.ts';
import { down, failing, notReady, problem, refused } from './support/failures.ts';
import { startFastSlack, type FastSlack } from './support/start-fast-slack.ts';
import { TEAM_CHAT } from './support/start-hosted.ts';

let fast: FastSlack;
let hosted: FastSlack['hosted'];
let watched: FastSlack['watched'];
let patchbay: FastSlack['patchbay'];
let slack: FastSlack['slack'];
before(async () => {
  fast = await startFastSlack();
  ({ hosted, watched, patchbay, slack } = fast);
});
beforeEach(() => fast.reset());
after(() => fast[Symbol.asyncDispose]());

describe('writes', () => {
  test('each has a key of its own, which its repetitions share, so that it happens once', async () => {
    failing(watched, 2, down, true);
    const channel = await slack.channels.create({ name: 'once' });
    assert.equal(channel.name, 'once');
    assert.equal(created(), 1);
    const keys = keysSent();
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.match(keys[0] ?? '', /^[0-9a-f]{32}$/);
    await slack.channels.create({ name: 'twice' });
    assert.notEqual(keysSent().at(-1), keys[0]);
  });

  test('reads have no key', async () => {
    await slack.users.list({ limit: 1 });
    await errorOf(slack.users.search({ query: {} }));
    assert.deepEqual(keysSent(), [null, null]);
  });

  test('a key that is given wins, and does for a call made again what it does for a repetition', async () => {
    const options = { idempotencyKey: 'key-1' };
    failing(watched, 1, notReady);
    const channel = await slack.channels.create({ name: 'with-a-key' }, options);
    assert.deepEqual(keysSent(), ['key-1', 'key-1']);
    assert.deepEqual(await slack.channels.create({ name: 'with-a-key' }, options), channel);
    assert.equal(created(), 1);
    const error = await errorOf(slack.channels.create({ name: 'another' }, options));
    assert.equal(error.code, 'idempotency_key_reused');
  });

  test('one that stays unanswered is unknown; the error has the key to call it again with', async () => {
    failing(watched, 100, down, true);
    const error = await errorOf(slack.channels.create({ name: 'lost' }));
    assert.ok(isConnectorError(error, 'write_outcome_unknown'));
    const { idempotencyKey, howToFindOut, entity, action } = error.details;
    assert.deepEqual([entity, action], ['channels', 'create']);
    assert.ok(idempotencyKey !== undefined && howToFindOut !== undefined);
    assert.ok(error.message.includes(`idempotencyKey "${idempotencyKey}"`), error.message);
    assert.ok(keysSent().every((key) => key === idempotencyKey));
    watched.instead = undefined;
    const channel = await slack.channels.create({ name: 'lost' }, { idempotencyKey });
    assert.equal(channel.name, 'lost');
    assert.equal(created(), 1);
  });

  test('one whose answer got lost while it still runs is waited for', async () => {
    const fault = hosted.sandbox.faults.add({ kind: 'hang', method: 'conversations.create' });
    const answer = Promise.withResolvers<Response>();
    const statuses: number[] = [];
    watched.instead = async ({ path }, send) => {
      if (!path.endsWith('/execute')) return send();
      if (watched.to('/execute').length === 1) {
        answer.resolve(send());
        await fault.whenHit();
        return down();
      }
      const response = await send();
      statuses.push(response.status);
      if (statuses.length === 2) fault.release();
      return response;
    };
    const channel = await slack.channels.create({ name: 'slow' });
    assert.equal(channel.name, 'slow');
    assert.deepEqual(statuses.slice(0, 2), [409, 409]);
    assert.equal(statuses.at(-1), 200);
    assert.equal((await answer.promise).status, 200);
    assert.equal(created(), 1);
  });

  test('one that still runs at the deadline is unknown, and has its key', async () => {
    let isFirst = true;
    watched.instead = async ({ path }, send) => {
      if (!path.endsWith('/execute')) return send();
      if (!isFirst) return problem(409, 'idempotency_in_progress', 'after', { 'retry-after': '1' });
      isFirst = false;
      return down();
    };
    const call = slack.channels.create({ name: 'too-slow' }, { timeoutMs: 30_000 });
    const error = await errorOf(call);
    assert.ok(isConnectorError(error, 'write_outcome_unknown'));
    assert.equal(error.details.idempotencyKey, keysSent()[0]);
    assert.ok(keysSent().length > 3);
  });

  test('one that surely did not leave is repeated, or is just not done', async () => {
    failing(watched, 1, refused);
    await slack.channels.create({ name: 'second-try' });
    assert.equal(created(), 1);
    failing(watched, 100, refused);
    const error = await errorOf(slack.channels.create({ name: 'third' }));
    assert.equal(error.code, 'not_ready');
  });

  test('one that nobody can ask about for want of a token is unknown', async () => {
    let count = 0;
    watched.instead = async ({ path }, send) => {
      if (path.endsWith('token')) return problem(403, 'forbidden');
      if (!path.endsWith('/execute')) return send();
      return ++count === 1 ? down() : problem(401, 'unauthenticated');
    };
    const error = await errorOf(slack.channels.create({ name: 'no-token' }));
    assert.ok(isConnectorError(error, 'write_outcome_unknown'));
    assert.equal(error.details.idempotencyKey, keysSent()[0]);
    assert.ok(isConnectorError(error.cause, 'forbidden'));
  });

  test('a connector that is made with a key is asked for again, and is made once', async () => {
    let count = 0;
    watched.instead = async ({ path }, send) => {
      if (!path.endsWith('/connectors') || ++count > 1) return send();
      await (await send()).text();
      return down();
    };
    const options = { idempotencyKey: 'connector-1' };
    const { id } = await patchbay.connectors.create({ ...TEAM_CHAT, name: 'Once' }, options);
    const { data } = await patchbay.connectors.list({ q: 'Once' });
    assert.deepEqual(
      data.map((each) => each.id),
      [id],
    );
  });

  test('keys that no header can carry are refused here', async () => {
    for (const idempotencyKey of ['', ' x', 'a\nb', 'ü', 'x'.repeat(256)])
      await assert.rejects(slack.channels.create({ name: 'x' }, { idempotencyKey }), {
        code: 'invalid_request',
      });
    assert.equal(watched.sent.length, 0);
  });
});

describe('changes of connectors, for which the service takes no key', () => {
  test('connectors are not created twice', async () => {
    loseAnswersTo('POST');
    const name = 'Created once';
    const error = await errorOf(patchbay.connectors.create({ ...TEAM_CHAT, name }));
    assert.equal(error.code, 'write_outcome_unknown');
    assert.match(error.message, /may or may not have happened; it was not repeated.*List the conn/);
    assert.ok(!('idempotencyKey' in error.details));
    watched.instead = undefined;
    const { data } = await patchbay.connectors.list();
    const made = data.filter((each) => each.name === name);
    assert.equal(made.length, 1);
    await Promise.all(made.map(({ id }) => patchbay.connectors.delete(id)));
  });

  test('a change or a deletion whose answer got lost says how to find out', async () => {
    const { id } = await patchbay.connectors.create({ ...TEAM_CHAT, name: 'To be changed' });
    loseAnswersTo('PATCH');
    const changing = await errorOf(patchbay.connectors.update(id, { name: 'Changed' }));
    assert.equal(changing.code, 'write_outcome_unknown');
    assert.equal((await patchbay.connectors.get(id)).name, 'Changed');
    loseAnswersTo('DELETE');
    const deleting = await errorOf(patchbay.connectors.delete(id));
    assert.match(deleting.message, /connector_not_found says that it is gone/);
    await assert.rejects(patchbay.connectors.get(id), { code: 'connector_not_found' });
  });
});

/** The service does what is asked, but its answer does not arrive. */
function loseAnswersTo(method: string): void {
  watched.instead = async (request, send) => {
    const response = await send();
    return request.method === method && !request.path.endsWith('token') ? down() : response;
  };
}

/** The keys of what was sent to execute, in order. */
function keysSent(): readonly (string | null)[] {
  return watched.to('/execute').map(({ headers }) => headers.get('idempotency-key'));
}

/** How many channels the upstream was asked to make. */
function created(): number {
  return hosted.sandbox.requests().filter(({ method }) => method === 'conversations.create').length;
}
