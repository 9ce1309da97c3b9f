import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@patchbay/connectors/engine';
import { isConnectorError, type ConnectorError, type Patchbay } from '../src/index.ts';
import { AMPLE_MS } from './support/start-fast-slack.ts';
import { startHosted, watchFetch, type Hosted } from './support/start-hosted.ts';

const LOGIN = '/applications/token';
const SCOPED = '/scoped-token';
const CALLS = 1_000;

let hosted: Hosted;
before(async () => {
  hosted = await startHosted();
});
after(() => hosted[Symbol.asyncDispose]());

/** What becomes of as many calls at once. */
function callALot(patchbay: Patchbay) {
  return Promise.allSettled(
    Array.from({ length: CALLS }, () => patchbay.connectors.list({}, { timeoutMs: AMPLE_MS })),
  );
}

describe('1,000 calls at once', () => {
  test('across an expiry that the client sees coming cause one token request', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch });
    await patchbay.connectors.list();
    watched.sent.length = 0;
    hosted.clock.advance(1_200_000);
    const results = await callALot(patchbay);
    assert.ok(results.every(({ status }) => status === 'fulfilled'));
    assert.equal(watched.to('/connectors').length, CALLS);
    assert.deepEqual([watched.to(LOGIN).length, watched.to(SCOPED).length], [1, 1]);
  });

  test('across an expiry that only the service sees cause one renewal, and all succeed', async () => {
    const watched = watchFetch();
    const patchbay = hosted.client({ fetch: watched.fetch, clock: systemClock });
    await patchbay.connectors.list();
    watched.sent.length = 0;
    hosted.clock.advance(1_201_000);
    const results = await callALot(patchbay);
    assert.ok(results.every(({ status }) => status === 'fulfilled'));
    assert.equal(watched.to('/connectors').length, 2 * CALLS);
    // The application's token has expired with it, which only the refusal of the first shows.
    assert.deepEqual([watched.to(LOGIN).length, watched.to(SCOPED).length], [1, 2]);
  });
});

describe('an application that is revoked', () => {
  test('fails once: one login, and the same error for all who learn of it, early or late', async () => {
    const watched = watchFetch();
    const { applicationId, ...credentials } = await hosted.service.createApplication('Revoked');
    const { clientId, clientSecret } = credentials;
    const patchbay = hosted.client({ clientId, clientSecret, fetch: watched.fetch });
    await patchbay.connectors.list();
    watched.sent.length = 0;
    await hosted.service.revokeApplication(applicationId);
    const loggedIn = Promise.withResolvers<void>();
    watched.instead = async ({ path }, send) => {
      // Half of the calls are answered when the login has failed for the others.
      if (path.endsWith('/connectors') && watched.to('/connectors').length > CALLS / 2)
        await loggedIn.promise;
      const response = await send();
      if (path.endsWith(LOGIN)) setImmediate(loggedIn.resolve);
      return response;
    };
    const errors = errorsOf(await callALot(patchbay));
    assert.equal(errors.length, CALLS);
    assert.equal(new Set(errors).size, 1);
    const [error] = errors;
    assert.ok(isConnectorError(error, 'unauthenticated'));
    assert.deepEqual([error.status, error.retry], [401, 'never']);
    assert.match(error.message, /No application has that client_id and client_secret/);
    assert.equal(watched.to('/connectors').length, CALLS);
    assert.deepEqual([watched.to(LOGIN).length, watched.to(SCOPED).length], [1, 1]);
    // A call made later asks once more: it might have been let in again.
    await assert.rejects(patchbay.connectors.list(), { code: 'unauthenticated' });
    assert.equal(watched.to(LOGIN).length, 2);
    assert.equal(watched.to('/connectors').length, CALLS);
  });
});

function errorsOf(results: readonly PromiseSettledResult<unknown>[]): readonly ConnectorError[] {
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    assert.ok(isConnectorError(result.reason));
    return [result.reason];
  });
}
