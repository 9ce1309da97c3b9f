import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KindName } from '@patchbay/connectors';
import {
  ConnectorEngine,
  findKind,
  isSameAccount,
  type Account,
} from '@patchbay/connectors/engine';
import { startSandbox, type OAuthVendor, type Sandbox } from '@patchbay/sandbox';
import { errorOf } from './support/connectors.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const VENDORS: Readonly<Record<KindName, OAuthVendor>> = {
  'chat-workspace': 'slack',
  'customer-messaging': 'intercom',
  'support-chat': 'zendeskChat',
  'support-ticketing': 'zendeskSupport',
};

function engineOf(
  kind: KindName,
  { baseUrl, token, config = {} }: { baseUrl: string; token: string; config?: object },
): ConnectorEngine {
  const values = { access_token: token };
  return new ConnectorEngine({
    kind: findKind(kind),
    authorize: () => ({ method: 'oauth', values }),
    config: { ...config },
    baseUrl,
  });
}

/** What an engine makes of an upstream that always answers the same. */
async function asked(kind: KindName, body: unknown, config: object = {}) {
  await using upstream = await startUpstream((response) => reply(response, 200, body));
  return await engineOf(kind, { baseUrl: upstream.url, token: 't', config }).identify();
}

describe('whose credentials are', () => {
  let sandbox: Sandbox;
  before(async () => {
    sandbox = await startSandbox({ scale: 10 });
  });
  after(() => sandbox.close());

  const urlOf = (kind: KindName) => sandbox.urls[VENDORS[kind]];
  const tokenOf = (kind: KindName, personId: string) => {
    const [granted] = sandbox.oauth.grant({ vendor: VENDORS[kind], personId });
    return granted?.accessToken ?? '';
  };
  const identify = async (kind: KindName, token: string): Promise<Account> => {
    const account = await engineOf(kind, { baseUrl: urlOf(kind), token }).identify();
    assert.ok(account !== undefined);
    return account;
  };

  for (const kind of ['chat-workspace', 'customer-messaging'] as const)
    test(`${kind} says account and principal as the consent had them`, async () => {
      const { people } = sandbox.oauth.servers[VENDORS[kind]];
      for (const { id, account } of people) {
        const { id: accountId, name, principal } = await identify(kind, tokenOf(kind, id));
        const told = account.id.startsWith('E') ? null : account.name;
        assert.deepEqual([accountId, name], [account.id, told]);
        if (kind === 'customer-messaging') assert.equal(principal, id);
      }
    });

  for (const kind of ['support-chat', 'support-ticketing'] as const)
    test(`${kind} tells the people of one account apart`, async () => {
      const { people } = sandbox.oauth.servers[VENDORS[kind]];
      const accounts = await Promise.all(people.map(({ id }) => identify(kind, tokenOf(kind, id))));
      assert.deepEqual(
        accounts.map(({ principal }) => principal),
        people.map(({ id }) => id),
      );
      assert.equal(new Set(accounts.map(({ id }) => id)).size, 1);
    });

  for (const kind of Object.keys(VENDORS) as KindName[])
    test(`${kind} says the same of another token of the same person`, async () => {
      const person = sandbox.oauth.servers[VENDORS[kind]].people[0]?.id ?? '';
      const first = await identify(kind, tokenOf(kind, person));
      assert.ok(isSameAccount(first, await identify(kind, tokenOf(kind, person))));
    });

  test('a refused token is an error of the table', async () => {
    for (const kind of Object.keys(VENDORS) as KindName[]) {
      const error = await errorOf(identify(kind, 'invalid'));
      assert.equal(error.code, 'credentials_rejected', kind);
    }
  });
});

describe('answers that say whose credentials are', () => {
  const slack = { ok: true, team_id: 'T1', team: 'Acme', user_id: 'U1', enterprise_id: 'E1' };

  test('a token for a whole organization is of that, one for a workspace of the workspace', async () => {
    await using upstream = await startUpstream((response, nth) =>
      reply(response, 200, { ...slack, is_enterprise_install: nth === 0 }),
    );
    const engine = engineOf('chat-workspace', { baseUrl: upstream.url, token: 't' });
    assert.deepEqual(await engine.identify(), { id: 'E1', name: null, principal: 'U1' });
    assert.deepEqual(await engine.identify(), { id: 'T1', name: 'Acme', principal: 'U1' });
  });

  test('an account of Zendesk goes by its subdomain', async () => {
    const config = { subdomain: 'acme' };
    const account = await asked('support-ticketing', { user: { id: 35436 } }, config);
    assert.deepEqual(account, { id: 'acme', name: 'acme', principal: '35436' });
  });

  test('without one, by the host that answers', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { user: { id: 1 } }),
    );
    const account = await engineOf('support-ticketing', {
      baseUrl: upstream.url,
      token: 't',
    }).identify();
    assert.deepEqual(account, { id: new URL(upstream.url).host, name: null, principal: '1' });
  });

  test('the anonymous user that Zendesk shows to strangers is nobody', async () => {
    const body = { user: { id: null, name: 'Anonymous user' } };
    assert.equal(await asked('support-ticketing', body, { subdomain: 'acme' }), undefined);
  });

  test('nothing is made up from answers of another shape', async () => {
    for (const body of [{}, { id: {}, app: [] }, { id: '', app: { id_code: 'a' } }])
      assert.equal(await asked('customer-messaging', body), undefined);
  });

  test('credentials that an upstream says back are no account, name or person', async () => {
    const token = 'opens-the-workspace';
    const given = async (members: object) => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { ...slack, ...members }),
      );
      return await engineOf('chat-workspace', { baseUrl: upstream.url, token }).identify();
    };
    const account = { id: 'T1', name: 'Acme', principal: 'U1' };
    assert.deepEqual(await given({}), account);
    for (const text of [
      token,
      `Acme ${token}`,
      `Bearer ${token}`,
      token.replaceAll('-', '\0-'),
      'x'.repeat(250) + token,
    ]) {
      assert.equal(await given({ team_id: text }), undefined, text);
      assert.equal(await given({ user_id: text }), undefined, text);
      assert.deepEqual(await given({ team: text }), { ...account, name: null }, text);
    }
  });

  test('what is odd about names is taken out before it is shown and stored', async () => {
    const app = { id_code: 'a', name: `A\0\ud800${'b'.repeat(300)}` };
    const account = await asked('customer-messaging', { id: '1', app });
    const name = account?.name ?? '';
    assert.deepEqual([name.isWellFormed(), name.length, name.includes('\0')], [true, 255, false]);
  });
});
