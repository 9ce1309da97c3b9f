import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allKinds, findKind } from '../find-kind.ts';
import { oauthAddress } from './oauth-address.ts';

function tokenAddress(
  kindName: string,
  site: { readonly config?: Readonly<Record<string, unknown>>; readonly baseUrl?: string } = {},
): string {
  const kind = findKind(kindName);
  return oauthAddress({ config: {}, ...site, kind }, kind.oauth?.token.address ?? '');
}

test('an authorization server is where its vendor has it', () => {
  const config = { subdomain: 'acme' };
  assert.equal(tokenAddress('chat-workspace'), 'https://slack.com/api/oauth.v2.access');
  assert.equal(
    tokenAddress('support-ticketing', { config }),
    'https://acme.zendesk.com/oauth/tokens',
  );
  assert.equal(
    tokenAddress('support-chat', { config }),
    'https://acme.zendesk.com/oauth2/chat/token',
  );
  assert.equal(tokenAddress('customer-messaging'), 'https://api.intercom.io/auth/eagle/token');
  assert.equal(
    tokenAddress('customer-messaging', { config: { region: 'eu' } }),
    'https://api.eu.intercom.io/auth/eagle/token',
  );
});

test('one whose host goes by a word of the config has an address for each', () => {
  const kind = findKind('customer-messaging');
  const consent = kind.oauth?.consent.address ?? '';
  const at = (region: string) => oauthAddress({ kind, config: { region } }, consent);
  assert.equal(at('us'), 'https://app.intercom.com/oauth');
  assert.equal(at('au'), 'https://app.au.intercom.com/oauth');
  assert.equal(oauthAddress({ kind, config: {} }, consent), 'https://app.intercom.com/oauth');
});

test('beside an upstream that is elsewhere, it has the paths of the vendor', () => {
  const at = (kindName: string, baseUrl: string) => tokenAddress(kindName, { baseUrl });
  const host = 'http://127.0.0.1:4000';
  assert.equal(at('chat-workspace', `${host}/slack/api`), `${host}/slack/api/oauth.v2.access`);
  assert.equal(at('support-ticketing', `${host}/zendesk/api/v2`), `${host}/zendesk/oauth/tokens`);
  assert.equal(
    at('support-chat', `${host}/zendesk/api/v2/chat`),
    `${host}/zendesk/oauth2/chat/token`,
  );
  assert.equal(at('customer-messaging', `${host}/intercom`), `${host}/intercom/auth/eagle/token`);
  assert.equal(
    at('support-ticketing', `${host}/elsewhere/`),
    `${host}/elsewhere/oauth/tokens`,
    'a base URL that does not end as the vendor’s',
  );
  const config = { subdomain: 'acme' };
  assert.equal(
    tokenAddress('support-ticketing', { config, baseUrl: `${host}/{subdomain}/api/v2` }),
    `${host}/acme/oauth/tokens`,
  );
});

test('no address leads anywhere but to hosts of the kind itself', () => {
  for (const kind of allKinds()) {
    const [token, consent] = [kind.oauth?.token.address, kind.oauth?.consent.address];
    assert.ok(token !== undefined && consent !== undefined, kind.kind);
    for (const address of [token, consent])
      for (const url of typeof address === 'string' ? [address] : Object.values(address.addresses))
        assert.match(
          url,
          /^https:\/\/(slack\.com|\{subdomain\}\.zendesk\.com|\{region\}|app\.(eu\.|au\.)?intercom\.com)\//,
        );
  }
});
