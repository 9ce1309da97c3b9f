import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  authorizeUrl,
  completeReplicationConfig,
  consentMethodOf,
  findKind,
  isRenewable,
  newCodeVerifier,
  redeemCode,
  renew,
  systemClock,
  type OAuthApp,
} from '@patchbay/connectors/engine';
import { reply, startUpstream } from './support/upstreams.ts';

const APP = { clientId: 'our-app', clientSecret: 'our-app-secret' };
const REDIRECT = 'https://patchbay.example.com/connect/oauth/callback';
const never = new AbortController().signal;

/** Redeems a code of a kind whose token endpoint gives that answer. */
async function redeemed(kindName: string, body: unknown, status = 200, client: OAuthApp = APP) {
  await using upstream = await startUpstream((response) => reply(response, status, body));
  const kind = findKind(kindName);
  const site = { kind, config: { subdomain: 'acme' }, baseUrl: upstream.url, clock: systemClock };
  const given = { client, code: 'the-code', redirectUri: REDIRECT, codeVerifier: 'verifier' };
  const outcome = await redeemCode(site, given, never);
  return { outcome, seen: upstream.seen };
}

/** The scope that a code is redeemed for. */
async function scopeOf(name: string, scopes?: readonly string[]): Promise<string | undefined> {
  const { seen } = await redeemed(name, {}, 200, { ...APP, scopes });
  const body = seen[0]?.body ?? '';
  // Proof: a token request is an object of texts, or a form.
  return body.startsWith('{')
    ? (JSON.parse(body) as Record<string, string>)['scope']
    : (new URLSearchParams(body).get('scope') ?? undefined);
}

describe('a person’s consent', () => {
  test('is asked for with what each vendor takes', () => {
    const ask = (name: string, config = {}, scopes?: readonly string[]) => {
      const kind = findKind(name);
      const codeVerifier = newCodeVerifier(kind);
      const app = { clientId: 'our-app', scopes };
      const request = { app, redirectUri: REDIRECT, state: 'the-state', codeVerifier };
      return new URL(authorizeUrl({ kind, config }, request));
    };
    const slack = ask('slack', {}, ['users:read', 'chat:write']);
    assert.equal(slack.origin + slack.pathname, 'https://slack.com/oauth/v2/authorize');
    assert.deepEqual(Object.fromEntries(slack.searchParams), {
      response_type: 'code',
      client_id: 'our-app',
      redirect_uri: REDIRECT,
      scope: 'users:read,chat:write',
      state: 'the-state',
    });
    const zendesk = ask('zendesk-support', { subdomain: 'acme' }, ['read', 'tickets:write']);
    assert.equal(zendesk.host, 'acme.zendesk.com');
    assert.equal(zendesk.searchParams.get('scope'), 'read tickets:write');
    assert.equal(zendesk.searchParams.get('code_challenge_method'), 'S256');
    assert.match(zendesk.searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/);
    assert.equal(
      ask('zendesk-chat', { subdomain: 'acme' }).searchParams.has('code_challenge'),
      false,
    );
    const intercom = ask('intercom', { region: 'eu' }, ['ignored']);
    assert.equal(intercom.host, 'app.eu.intercom.com');
    assert.equal(intercom.searchParams.has('scope'), false);
  });

  test('of Slack gives the token of the bot, never that of the person', async () => {
    const { outcome, seen } = await redeemed('slack', {
      ok: true,
      access_token: 'bot-token',
      refresh_token: 'bot-refresh',
      expires_in: 43_200,
      authed_user: { id: 'U1', access_token: 'person-token', refresh_token: 'person-refresh' },
    });
    assert.ok(outcome.outcome === 'redeemed');
    const { expires_at: end, ...values } = outcome.credentials.values;
    assert.ok(Date.parse(String(end)) > Date.now());
    assert.deepEqual(values, {
      client_id: 'our-app',
      client_secret: 'our-app-secret',
      access_token: 'bot-token',
      refresh_token: 'bot-refresh',
    });
    assert.equal(seen.length, 1);
    assert.deepEqual(Object.fromEntries(new URLSearchParams(seen[0]?.body)), {
      grant_type: 'authorization_code',
      client_id: 'our-app',
      client_secret: 'our-app-secret',
      code: 'the-code',
      redirect_uri: REDIRECT,
      code_verifier: 'verifier',
    });
    const person = { ok: true, authed_user: { id: 'U1', access_token: 'person-token' } };
    assert.equal((await redeemed('slack', person)).outcome.outcome, 'failed');
  });

  test('of the others gives credentials that hold no secret of the app', async () => {
    const tokens = { access_token: 'a-token', refresh_token: 'r-token', expires_in: 1_800 };
    for (const name of ['zendesk-support', 'zendesk-chat']) {
      const { outcome } = await redeemed(name, { ...tokens, token_type: 'bearer', scope: 'read' });
      assert.ok(outcome.outcome === 'redeemed');
      const names = Object.keys(outcome.credentials.values).toSorted();
      assert.deepEqual(names, ['access_token', 'client_id', 'expires_at', 'refresh_token']);
      assert.ok(isRenewable(findKind(name), outcome.credentials));
    }
    for (const body of [{ token: 'a-token' }, { access_token: 'a-token', token: 'a-token' }]) {
      const { outcome } = await redeemed('intercom', { token_type: 'Bearer', ...body });
      assert.ok(outcome.outcome === 'redeemed');
      assert.deepEqual(outcome.credentials.values, { access_token: 'a-token' });
      assert.equal(outcome.credentials.method, consentMethodOf(findKind('intercom')));
    }
  });

  test('of Zendesk is redeemed for the scopes that it was asked for, the others’ for none', async () => {
    assert.equal(await scopeOf('zendesk-support'), 'read');
    assert.equal(await scopeOf('zendesk-support', ['read', 'tickets:write']), 'read tickets:write');
    assert.equal(await scopeOf('zendesk-chat'), 'read');
    assert.equal(await scopeOf('slack', ['users:read']), undefined);
    assert.equal(await scopeOf('intercom'), undefined);
  });

  test('that comes to nothing says why, once, without a secret', async () => {
    const refusals = [
      ['slack', 200, { ok: false, error: 'invalid_code' }, 'failed', /invalid_code/],
      ['slack', 200, { ok: false, error: 'bad_client_secret' }, 'refused', /bad_client_secret/],
      [
        'zendesk-support',
        400,
        { error: 'invalid_grant', error_description: 'the-code is no good, our-app-secret' },
        'refused',
        /invalid_grant/,
      ],
      [
        'intercom',
        401,
        { errors: [{ code: 'unauthorized', message: 'Unauthorized Code' }] },
        'failed',
        /Unauthorized Code/,
      ],
      ['zendesk-chat', 200, { access_token: 'two\r\nlines' }, 'failed', /no header/],
      ['zendesk-chat', 200, { access_token: 'fine', refresh_token: 'a\nb' }, 'failed', /no header/],
    ] as const;
    for (const [kind, status, body, expected, told] of refusals) {
      const { outcome, seen } = await redeemed(kind, body, status);
      assert.ok(outcome.outcome !== 'redeemed');
      assert.equal(outcome.outcome, expected, JSON.stringify(body));
      assert.match(outcome.reason, told);
      assert.doesNotMatch(outcome.reason, /our-app-secret|the-code|two words/);
      assert.equal(seen.length, 1);
    }
  });

  test('that comes to nothing says no secret either where the form is quoted that it was sent', async () => {
    await using upstream = await startUpstream((response, _nth, { body }) =>
      reply(response, 400, {
        error: 'invalid_request',
        error_description: `cannot read ${body}`,
      }),
    );
    const kind = findKind('support-chat');
    const client = { clientId: 'our-app', clientSecret: 'c2VjcmV0+of/the+app==' };
    const outcome = await redeemCode(
      { kind, config: { subdomain: 'acme' }, baseUrl: upstream.url, clock: systemClock },
      { client, code: 'the/code', redirectUri: REDIRECT },
      never,
    );
    assert.ok(outcome.outcome !== 'redeemed');
    assert.match(outcome.reason, /cannot read .*client_secret=\[secret\]/);
    assert.ok(!decodeURIComponent(outcome.reason).includes(client.clientSecret), outcome.reason);
    assert.ok(!decodeURIComponent(outcome.reason).includes('the/code'), outcome.reason);
  });

  test('is renewed with the secret that its app has by then, and with no other app', async () => {
    const kind = findKind('zendesk-support');
    const values = {
      client_id: 'our-app',
      client_secret: 'old',
      access_token: 'a',
      refresh_token: 'r',
    };
    const sent = async (
      client: typeof APP | undefined,
      given: Readonly<Record<string, string>>,
    ) => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { access_token: 'b' }),
      );
      const site = {
        kind,
        config: { subdomain: 'acme' },
        baseUrl: upstream.url,
        clock: systemClock,
      };
      await renew(site, { credentials: { method: 'oauth', values: given }, client }, never);
      const { client_id, client_secret } = JSON.parse(
        upstream.seen[0]?.body ?? '',
      ) as typeof values;
      return [client_id, client_secret];
    };
    const { client_secret: _, ...named } = values;
    assert.deepEqual(await sent(APP, values), ['our-app', 'our-app-secret']);
    assert.deepEqual(await sent(APP, named), ['our-app', 'our-app-secret']);
    assert.deepEqual(await sent(undefined, values), ['our-app', 'old']);
    const other = { clientId: 'another', clientSecret: 'x' };
    assert.deepEqual(await sent(other, values), ['our-app', 'old']);
    await assert.rejects(sent(other, named), /cannot be renewed/);
  });

  test('asks nobody for a replication config: what is missing is usual', () => {
    const now = Date.parse('2026-11-22T10:00:00.500Z');
    const kind = findKind('slack');
    assert.partialDeepStrictEqual(completeReplicationConfig(kind, undefined, now), {
      start_date: '2026-08-24T10:00:00Z',
      lookback_window: 7,
      join_channels: false,
    });
    const given = { start_date: '2026-01-01T00:00:00Z', join_channels: true };
    assert.partialDeepStrictEqual(completeReplicationConfig(kind, given, now), {
      ...given,
      lookback_window: 7,
    });
    assert.throws(() => completeReplicationConfig(kind, { lookback_window: -1 }, now));
    assert.throws(() => completeReplicationConfig(kind, 'none', now));
    assert.equal(completeReplicationConfig(findKind('zendesk-support'), undefined, now), null);
  });
});
