import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { makeBrowser, makeSession } from './support/connect-page.ts';
import {
  BACK,
  consentOptions,
  consentTo,
  initiate,
  peopleOf,
  TestBrowser,
  type KindName,
} from './support/consent.ts';
import { at, textAt } from './support/http-client.ts';
import { makeTestGround, startServiceOn } from './support/start-test-service.ts';
import { until } from './support/until.ts';

const QUOTA = 'quota-user';

describe('tokens that a person consented to and that no connector gets', async () => {
  const ground = await makeTestGround();
  const { sandbox } = ground;
  const running = await startServiceOn(ground, {
    ...consentOptions(sandbox),
    // It revokes by itself.
    role: 'all',
    quotas: { connectSessionsPerUser: 1_000, connectorsPerUser: 4 },
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await ground[Symbol.asyncDispose]();
  });
  const token = await running.applicationToken();

  /** A person of each account in turn, so that no two tests share one. */
  const personOf = (kind: KindName, index: number) => {
    const people = peopleOf(sandbox, kind);
    const accounts = [...new Set(people.map(({ account }) => account.id))];
    const person = people.find(({ account }) => account.id === accounts[index]);
    assert.ok(person !== undefined, `${kind} has no account ${index}`);
    return person.id;
  };
  const aliveOnes = () =>
    sandbox.oauth
      .grants()
      .filter(({ isAlive }) => isAlive)
      .map(({ id }) => id);
  /** What is issued while something happens. */
  const issuedBy = async <T>(work: () => Promise<T>) => {
    const before = aliveOnes();
    const result = await work();
    const [grant, ...others] = aliveOnes().filter((id) => !before.includes(id));
    assert.ok(grant !== undefined && others.length === 0);
    return { grant, result };
  };
  const isAlive = (grant: string) => aliveOnes().includes(grant);

  /** A session in which a person consents, as it waits then. */
  const waiting = async (kind: KindName, person: string, body = {}) => {
    const { id, url } = await makeSession(running, token, { connector_types: [kind], ...body });
    const page = makeBrowser(running);
    await page.open(url);
    const config = kind.startsWith('support-') ? { subdomain: 'acme' } : {};
    const begun = await page.consent(id, { connector_type: kind, config });
    const browser = new TestBrowser();
    for (const [name, value] of page.cookies) browser.cookies.set(name, value);
    await browser.open(await browser.decide(textAt(begun, 'authorize_url'), person));
    const expire = async () => {
      await ground.query('update patchbay.connect_sessions set expires_at = now() where id = $1', [
        id,
      ]);
      assert.equal(at(await page.view(id), 'status'), 'expired');
    };
    return { id, page, expire };
  };
  const connect = async (kind: KindName, person: string, body = {}) =>
    consentTo(await initiate(running, token, { connector_type: kind, ...body }), person);
  const said = async (text: string) => until(() => running.log.text().includes(text));

  test('are revoked when their session expires before anybody confirms it', async () => {
    const kind = 'support-ticketing';
    const { grant, result } = await issuedBy(() => waiting(kind, personOf(kind, 0)));
    assert.equal(at(await result.page.view(result.id), 'status'), 'unconfirmed');
    await result.expire();
    await until(() => !isAlive(grant));
  });

  test('are left while another session waits with the same ones', async () => {
    const kind = 'chat-workspace';
    const person = personOf(kind, 0);
    const first = await waiting(kind, person);
    const second = await waiting(kind, person);
    const alive = aliveOnes();
    running.log.clear();
    await first.expire();
    await said('Another connector would lose');
    assert.deepEqual(aliveOnes(), alive);
    await second.expire();
    await until(() => aliveOnes().length < alive.length);
  });

  test('are revoked when they are of another account than the connector, unless somebody else holds that', async () => {
    const kind = 'customer-messaging';
    const [own, other] = [personOf(kind, 0), personOf(kind, 1)];
    const { grant: kept, result } = await issuedBy(() => connect(kind, own));
    const id = result.searchParams.get('connector_id') ?? '';
    const { grant, result: refused } = await issuedBy(() =>
      connect(kind, other, { connector_id: id }),
    );
    assert.equal(refused.searchParams.get('error'), 'account_mismatch');
    await until(() => !isAlive(grant));
    assert.ok(isAlive(kept));
    const { grant: held } = await issuedBy(() => connect(kind, other, { external_user_id: 'bob' }));
    running.log.clear();
    await connect(kind, other, { connector_id: id });
    await said('Another connector would lose');
    assert.ok(isAlive(held) && isAlive(kept));
  });

  test('are revoked when there is no room for their connector, of whichever session', async () => {
    const kind = 'support-chat';
    const owner = { external_user_id: QUOTA };
    for (let index = 0; index < 4; index++)
      await running.connector(token, {
        connector_type: 'slack',
        credentials: { api_token: 'xoxb-test' },
        ...owner,
      });
    const body = { ...owner, config: { subdomain: 'acme' }, redirect_url: BACK };
    const { grant, result } = await issuedBy(() => connect(kind, personOf(kind, 0), body));
    assert.equal(result.searchParams.get('error'), 'creation_failed');
    await until(() => !isAlive(grant));
    const session = { ...owner, confirm: false };
    const { grant: ofSession } = await issuedBy(() => waiting(kind, personOf(kind, 0), session));
    await until(() => !isAlive(ofSession));
  });
});
