import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { isConnectorError } from '../src/index.ts';
import { errorOf } from './support/error-of.ts';
import { problemAnswer } from './support/sample-answers.ts';
import { AMPLE_MS } from './support/start-fast-slack.ts';
import {
  makeFastClock,
  startHosted,
  TEAM_CHAT,
  watchFetch,
  type Hosted,
} from './support/start-hosted.ts';

const CALLS = 100;

let hosted: Hosted;
before(async () => {
  hosted = await startHosted();
});
after(() => hosted[Symbol.asyncDispose]());

/** A client whose tokens a function gets, and how often it was called. */
function clientOf(getToken: () => unknown) {
  const watched = watchFetch();
  const asked = { count: 0 };
  const patchbay = hosted.clientWithToken({
    fetch: watched.fetch,
    // Callers without types may bring anything.
    token: async () => {
      asked.count++;
      return (await getToken()) as string;
    },
  });
  return { patchbay, watched, asked };
}

describe('a client with a token function', () => {
  test('does everything for the external user of the token', async () => {
    const { patchbay, watched } = clientOf(() => hosted.mintToken('user-of-a-page'));
    await assert.rejects(patchbay.connector('slack'), {
      code: 'connector_not_found',
      message: /^The external user of the token has no connector of the kind "slack"/,
    });
    const created = await patchbay.connectors.create(TEAM_CHAT);
    assert.equal(created.external_user_id, 'user-of-a-page');
    const slack = await patchbay.connector('slack');
    assert.equal(slack.id, created.id);
    assert.equal((await slack.users.list({ limit: 1 })).data.length, 1);
    assert.equal((await slack.channels.create({ name: 'from-a-page' })).name, 'from-a-page');
    assert.deepEqual(
      (await patchbay.connectors.list()).data.map(({ id }) => id),
      [created.id],
    );
    assert.equal(watched.to('token').length, 0);
  });

  test('calls it once for a hundred first calls, and once when the service refuses the token', async () => {
    const { patchbay, watched, asked } = clientOf(() => hosted.mintToken('patient'));
    const callALot = () =>
      Promise.all(Array.from({ length: CALLS }, () => patchbay.connectors.list()));
    await callALot();
    assert.equal(asked.count, 1);
    hosted.clock.advance(1_201_000);
    await callALot();
    assert.equal(asked.count, 2);
    assert.equal(watched.to('/connectors').length, 3 * CALLS);
  });

  test('does not go on asking when the new token is no better', async () => {
    const { patchbay, watched, asked } = clientOf(() => 'a-token-that-is-wrong');
    const calls = Array.from({ length: CALLS }, () => errorOf(patchbay.connectors.list()));
    for (const error of await Promise.all(calls)) {
      assert.equal(error.code, 'unauthenticated');
      assert.ok(!inspect(error, { depth: 9 }).includes('that-is-wrong'));
    }
    assert.equal(asked.count, 2);
    assert.equal(watched.to('/connectors').length, 2 * CALLS);
  });

  test('tells all calls of the one error of the function, and asks it again later', async () => {
    let cause: Error | undefined = new Error('no session');
    const { patchbay, asked } = clientOf(() => {
      if (cause !== undefined) throw cause;
      return hosted.mintToken('late');
    });
    const calls = Array.from({ length: CALLS }, () => errorOf(patchbay.connectors.list()));
    const errors = new Set(await Promise.all(calls));
    const [error] = errors;
    assert.equal(errors.size, 1);
    assert.ok(isConnectorError(error, 'unauthenticated'));
    assert.equal(error.message, 'The function given as token failed: Error: no session.');
    assert.equal(error.cause, cause);
    assert.equal(asked.count, 1);
    cause = undefined;
    assert.deepEqual((await patchbay.connectors.list()).data, []);
    assert.equal(asked.count, 2);
  });

  test('takes the refused token out of what the function says of it', async () => {
    const tokens = ['a-token-that-is-wrong'];
    const { patchbay } = clientOf(() => {
      const token = tokens.pop();
      if (token === undefined) throw new Error('there is nothing after a-token-that-is-wrong');
      return token;
    });
    const { message } = await errorOf(patchbay.connectors.list());
    assert.match(message, /nothing after \[secret\]/);
  });

  const rows: readonly (readonly [what: string, brought: unknown, message: RegExp])[] = [
    ['nothing', undefined, /brought no text, but a value of the type undefined/],
    ['null', null, /brought no text, but null/],
    ['the whole answer', { token: 'hidden-value' }, /brought no text, but a value of the type obj/],
    ['an empty text', '', /brought an empty text/],
    ['a header', 'Bearer hidden-value', /spaces or other characters that no header takes/],
    ['a line', 'hidden-value\n', /spaces or other characters that no header takes/],
  ];
  for (const [what, brought, message] of rows)
    test(`says that the function brought ${what} instead of a token, but not which`, async () => {
      const { patchbay, watched } = clientOf(() => brought);
      const error = await errorOf(patchbay.connectors.list());
      assert.equal(error.code, 'unauthenticated');
      assert.match(error.message, message);
      assert.ok(!inspect(error, { depth: 9 }).includes('hidden-value'));
      assert.equal(watched.sent.length, 0);
    });

  test('gives up a function that never comes back, and asks it again with the next call', async () => {
    let count = 0;
    const patchbay = hosted.clientWithToken({
      clock: makeFastClock(50),
      timeoutMs: AMPLE_MS,
      token: () => (++count === 1 ? new Promise(() => undefined) : hosted.mintToken('slow')),
    });
    const error = await errorOf(patchbay.connectors.list());
    assert.equal(error.message, 'The function given as token brought nothing within 30000 ms.');
    assert.deepEqual((await patchbay.connectors.list()).data, []);
  });

  test('a service that says the token back does not get it into the error', async () => {
    const { patchbay, watched } = clientOf(() => 'a-token-to-be-hidden');
    watched.instead = async ({ headers }) => {
      const message = `wrong: ${headers.get('authorization') ?? ''}`;
      const problem = problemAnswer({ code: 'invalid_request', status: 422, message });
      return Response.json(problem, { status: 422 });
    };
    const error = await errorOf(patchbay.connectors.list());
    assert.match(error.message, /\[secret\]/);
    assert.ok(!inspect(error, { depth: 9 }).includes('to-be-hidden'));
  });
});
