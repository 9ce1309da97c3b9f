import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  RENEGOTIATES,
  selfSigned,
  showAnotherCertificate,
  startTlsUpstream,
} from '@patchbay/connectors/testing';
import { Agent, fetch as fetchOfUndici } from 'undici';
import { Patchbay } from '../src/index.ts';
import { errorOf } from './support/error-of.ts';
import { AMPLE_MS } from './support/start-fast-slack.ts';
import { makeFastClock, TEAM_CHAT } from './support/start-hosted.ts';

const HOST = '127.0.0.1';
const good = selfSigned(HOST);

const token = async () => 'a-token-of-a-test';

function clientOf(baseUrl: string, options: { readonly fetch?: typeof fetch } = {}): Patchbay {
  const clock = makeFastClock(50);
  return new Patchbay({ baseUrl, token, clock, timeoutMs: AMPLE_MS, ...options });
}

describe('TLS faults before a connection stands: a write surely did not happen', () => {
  test('a certificate that nobody knows is not_ready, with its code and the remedy', async () => {
    await using service = await startTlsUpstream(good);
    const patchbay = clientOf(service.url);
    for (const call of [
      () => patchbay.connectors.create(TEAM_CHAT),
      () => patchbay.connectors.list(),
    ]) {
      const error = await errorOf(call());
      assert.equal(error.code, 'not_ready');
      assert.match(error.message, /cannot be reached.*DEPTH_ZERO_SELF_SIGNED_CERT/);
      assert.match(error.message, /NODE_EXTRA_CA_CERTS/);
    }
    assert.equal(service.requests(), 0);
  });

  test('a handshake that the service refuses is not_ready, with its code', async () => {
    const old = { ...good, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' } as const;
    await using service = await startTlsUpstream(old);
    const error = await errorOf(clientOf(service.url).connectors.create(TEAM_CHAT));
    assert.equal(error.code, 'not_ready');
    assert.match(error.message, /cannot be reached.*(?:EPROTO|ERR_SSL_)/);
    assert.doesNotMatch(error.message, /NODE_EXTRA_CA_CERTS/);
  });
});

test('a certificate that changes under a write leaves it in doubt', async () => {
  await using service = await startTlsUpstream(
    { ...good, ...RENEGOTIATES },
    showAnotherCertificate,
  );
  const agent = new Agent({ connect: { ca: good.cert, allowH2: false } });
  // Like the global one, of which the types are of another version.
  const trusting = ((input: string, init: object) =>
    fetchOfUndici(input, { ...init, dispatcher: agent })) as unknown as typeof fetch;
  const patchbay = clientOf(service.url, { fetch: trusting });
  const error = await errorOf(patchbay.connectors.create(TEAM_CHAT));
  assert.equal(error.code, 'write_outcome_unknown');
  assert.ok(service.requests() > 0);
  await agent.destroy();
});
