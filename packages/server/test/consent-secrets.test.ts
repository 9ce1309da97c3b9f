import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCredentials } from '../src/vault/connector-credentials.ts';
import { findInFolder } from './support/find-in-folder.ts';
import {
  consentOptions,
  initiate,
  KIND_NAMES,
  peopleOf,
  smallSandbox,
  TestBrowser,
} from './support/consent.ts';
import { rowOf } from './support/renew.ts';
import { MASTER_KEY, startTestService } from './support/start-test-service.ts';
import { vaultOf } from './support/vault-of.ts';

/** What nobody but the vendor and the browser may see. */
const NOT_TOLD = ['access_token', 'refresh_token', 'client_secret'];

test('codes, states, tokens and secrets of consent are in no log, page, address, answer or file of ours', async () => {
  await using sandbox = await smallSandbox();
  const options = consentOptions(sandbox);
  await using running = await startTestService(options);
  const token = await running.applicationToken();
  const ours = running.service.url;
  const secrets: string[] = Object.values(options.oauthApps).flatMap(
    (app) => app?.clientSecret ?? [],
  );
  /** Such as a person's browser is shown, and the addresses that it is sent to by us. */
  const shown: string[] = [];
  const states: string[] = [];
  for (const kind of KIND_NAMES)
    for (const decision of ['allow', 'deny', 'break'] as const) {
      const browser = new TestBrowser();
      const url = await initiate(running, token, { connector_type: kind });
      const page = await browser.open(url);
      shown.push(page.text);
      const authorizeUrl = await browser.goOn(url);
      secrets.push(...browser.cookies.values());
      const choice = decision === 'deny' ? 'deny' : 'allow';
      const person = peopleOf(sandbox, kind)[0]?.id ?? '';
      const callback = new URL(await browser.decide(authorizeUrl, person, choice));
      states.push(callback.searchParams.get('state') ?? '');
      const code = callback.searchParams.get('code');
      if (code !== null) secrets.push(code);
      const fault = decision === 'break' ? sandbox.faults.add({ kind: 'revokeToken' }) : undefined;
      const back = await browser.open(callback.href);
      fault?.release();
      const again = await browser.open(callback.href);
      for (const { text, headers, location = '' } of [back, again])
        shown.push(text, location, JSON.stringify([...headers]));
      const id = new URL(back.location ?? '').searchParams.get('connector_id');
      assert.equal(id !== null, decision === 'allow', back.location);
      if (id === null) continue;
      const row = await rowOf(running.store, id);
      const { values } = await openCredentials(vaultOf(MASTER_KEY), row);
      secrets.push(...NOT_TOLD.flatMap((name) => values[name] ?? []));
      const answer = await running.send('GET', `/v1/integrations/connectors/${id}`, { token });
      shown.push(answer.text);
    }
  assert.ok(secrets.every((secret) => secret.length >= 10));
  const log = running.log.text();
  for (const secret of secrets) {
    for (const text of shown) assert.ok(!text.includes(secret), `${secret} in ${text}`);
    assert.ok(!log.includes(secret), `${secret} in the log`);
    // Not in the address that a vendor is asked with, either; a state is.
    assert.ok(!states.includes(secret));
  }
  for (const state of states) assert.ok(!log.includes(state), 'a state in the log');
  assert.ok(!log.includes(`${ours}/connect`) && !log.includes('?state='));
  const found = await findInFolder(running.dataFolder, [...secrets, ...states]);
  assert.deepEqual(found, []);
});
