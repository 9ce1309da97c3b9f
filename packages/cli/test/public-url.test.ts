import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Patchbay } from '@patchbay/client';
import { startCli, temporaryFolder } from './support/run-cli.ts';

const PUBLIC_URL = 'https://patchbay.example.com';
const RETURN_URL = 'https://app.example.com/connected';
const OPERATOR_KEY = 'operator-key-of-a-service-behind-a-proxy';
const CLIENT = { clientId: 'behind-a-proxy', clientSecret: 'secret-of-a-service-behind-a-proxy' };

test('behind a TLS proxy the vendors of the sandbox lead people back through it', async (context) => {
  const folder = await temporaryFolder();
  const running = startCli(['start'], {
    PATCHBAY_DATA: join(folder.path, 'data'),
    PORT: '0',
    PATCHBAY_PUBLIC_URL: PUBLIC_URL,
    PATCHBAY_OPERATOR_KEY: OPERATOR_KEY,
    PATCHBAY_CLIENT_ID: CLIENT.clientId,
    PATCHBAY_CLIENT_SECRET: CLIENT.clientSecret,
  });
  context.after(async () => {
    running.process.kill('SIGKILL');
    await running.finished;
    await folder[Symbol.asyncDispose]();
  });
  const baseUrl = /ready at (\S+)/.exec(await running.untilOut('/docs)'))?.[1] ?? '';
  await allowReturn(baseUrl);
  const { connectors } = new Patchbay({ baseUrl, ...CLIENT, externalUserId: 'alice' });
  for (const connector_type of ['slack', 'intercom', 'zendesk-chat', 'zendesk-support']) {
    const { consent_url } = await connectors.initiateOAuth({
      connector_type,
      redirect_url: RETURN_URL,
      ...(connector_type === 'zendesk-support' ? { config: { subdomain: 'acme' } } : {}),
    });
    const asked = await vendorUrl(consent_url, baseUrl);
    assert.equal(asked.searchParams.get('redirect_uri'), `${PUBLIC_URL}/connect/oauth/callback`);
    const page = await fetch(asked);
    assert.equal(page.status, 200, `${connector_type}: ${await page.text()}`);
  }
});

/** Where a browser gets to that goes on from the first page; the proxy passes both requests on. */
async function vendorUrl(consentUrl: string, baseUrl: string): Promise<URL> {
  const behind = (url: string) => {
    assert.ok(url.startsWith(`${PUBLIC_URL}/`), url);
    return url.replace(PUBLIC_URL, baseUrl);
  };
  const page = await fetch(behind(consentUrl));
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
  assert.match(cookie, /^__Host-/);
  const [, goOn = ''] = /<a class="go" href="([^"]+)"/.exec(await page.text()) ?? [];
  const pressed = await fetch(behind(goOn.replaceAll('&amp;', '&')), {
    headers: { cookie },
    redirect: 'manual',
  });
  return new URL(pressed.headers.get('location') ?? '');
}

async function allowReturn(baseUrl: string): Promise<void> {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' };
  const at = `${baseUrl}/v1/applications`;
  // As docs/wire.md#applications has it.
  const { data } = (await (await fetch(at, { headers })).json()) as {
    readonly data: readonly { readonly id: string }[];
  };
  const body = JSON.stringify({ allowed_return_urls: [RETURN_URL] });
  const changed = await fetch(`${at}/${data[0]?.id ?? ''}`, { method: 'PATCH', headers, body });
  assert.equal(changed.status, 200);
}
