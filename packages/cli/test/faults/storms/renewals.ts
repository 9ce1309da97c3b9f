import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVER } from '@patchbay/store/testing';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { startCli, temporaryFolder, type RunningCli } from './support/run-cli.ts';

/** `npm run test:faults` asks for more of everything. */
const PROCESSES = numberOf('STORM_PROCESSES', 2);
const CALLERS = numberOf('STORM_CALLERS', 20);
const SECONDS = numberOf('STORM_SECONDS', 8);
const KILLS = numberOf('STORM_KILLS', 3);

const LIFE_S = 5;
const CLIENT = { client_id: 'sandbox-support', client_secret: 'sandbox-support-secret' };
const TOKENS = { method: 'POST /oauth/tokens' } as const;
const READ = { entity: 'tags', action: 'list', params: {} };
const ADMISSION = { PATCHBAY_CALLS_AT_ONCE_PER_USER: '1000', PATCHBAY_CALLS_AT_ONCE: '2000' };

function numberOf(variable: string, usual: number): number {
  return Number(process.env[variable] ?? usual);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Fleet extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Calls the service of that index. */
  call(index: number, path: string, body: object): Promise<Answer>;
  /** Ends it with SIGKILL, and starts it again. */
  kill(index: number): Promise<void>;
}

/** Services on one database, each a process of its own, with a sandbox whose tokens live 5 s. */
async function startFleet(count: number): Promise<Fleet> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const sandbox = stack.use(await startSandbox({ scale: 10, tokenTtlSeconds: LIFE_S }));
  const place = await SERVER.make();
  stack.defer(() => place.remove());
  const secret = 'x'.repeat(40);
  const environment = {
    DATABASE_URL: place.options.databaseUrl ?? '',
    PATCHBAY_DATA: join(folder.path, 'data'),
    PATCHBAY_SANDBOX: 'off',
    PATCHBAY_UPSTREAM_URL_SUPPORT_TICKETING: sandbox.urls.zendeskSupport,
    PATCHBAY_UPSTREAM_LIMITS_SUPPORT_TICKETING: 'reactive',
    PATCHBAY_CLIENT_ID: 'me',
    PATCHBAY_CLIENT_SECRET: secret,
    PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    PATCHBAY_LOG_LEVEL: 'error',
    PORT: '0',
    ...ADMISSION,
  };
  const running: { readonly process: RunningCli; readonly url: string }[] = [];
  const start = async () => {
    const started = startCli(['start'], environment);
    const told = await started.untilOut('Patchbay is ready at');
    return { process: started, url: /ready at (http:\S+)/.exec(told)?.[1] ?? '' };
  };
  for (let index = 0; index < count; index++) running.push(await start());
  stack.defer(async () => {
    for (const { process } of running) process.process.kill('SIGKILL');
    await Promise.all(running.map(({ process }) => process.finished));
  });
  const login = await post(`${running[0]?.url}/api/v1/account/applications/token`, {
    client_id: 'me',
    client_secret: secret,
  });
  // Proven: a login answers with a token.
  const { access_token: token } = JSON.parse(login.text) as { readonly access_token: string };
  return {
    sandbox,
    call: (index, path, body) => post(`${running[index]?.url}${path}`, body, token),
    kill: async (index) => {
      const old = running[index];
      old?.process.process.kill('SIGKILL');
      await old?.process.finished;
      running[index] = await start();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function post(url: string, body: object, token?: string): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A pair that a person's consent gave. */
function consented(sandbox: Sandbox) {
  const [tokens] = sandbox.oauth.grant({
    vendor: 'zendeskSupport',
    clientId: CLIENT.client_id,
  });
  assert.ok(tokens?.refreshToken);
  const endsAt = Date.now() + (tokens.expiresInSeconds ?? 0) * 1000;
  return {
    grantId: tokens.grantId,
    credentials: {
      ...CLIENT,
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      expires_at: new Date(endsAt).toISOString(),
    },
  };
}

async function connect(fleet: Fleet, credentials: object): Promise<string> {
  const created = await fleet.call(0, '/v1/integrations/connectors', {
    external_user_id: 'storm',
    connector_type: 'support-ticketing',
    name: 'Help desk',
    config: { subdomain: 'acme' },
    credentials,
  });
  assert.equal(created.status, 201, created.text);
  // Proven: a connector that was created has an id.
  return (JSON.parse(created.text) as { readonly id: string }).id;
}

const read = (fleet: Fleet, index: number, id: string) =>
  fleet.call(index, `/api/v1/connectors/sources/${id}/execute`, READ);

describe('renewals of tokens that live five seconds', { skip: SERVER.skip }, () => {
  test(`${PROCESSES} processes, ${CALLERS} callers each, a token endpoint that is slow, fails and hangs`, async () => {
    await using fleet = await startFleet(PROCESSES);
    const { sandbox } = fleet;
    const { grantId, credentials } = consented(sandbox);
    const id = await connect(fleet, credentials);
    sandbox.faults.add({ kind: 'delay', delayMs: 300, ...TOKENS });
    sandbox.faults.add({ kind: 'serverError', every: 3, ...TOKENS });
    sandbox.faults.add({ kind: 'hang', every: 5, ...TOKENS });
    const endsAt = Date.now() + SECONDS * 1000;
    let calls = 0;
    const failures: string[] = [];
    const caller = async (index: number) => {
      while (Date.now() < endsAt) {
        const { status, text } = await read(fleet, index, id);
        calls++;
        if (status !== 200) failures.push(text);
        await pause(20);
      }
    };
    await Promise.all(
      Array.from({ length: PROCESSES * CALLERS }, (_, number) => caller(number % PROCESSES)),
    );
    const report = sandbox.oauth.grants().find((grant) => grant.id === grantId);
    assert.ok(report !== undefined);
    const { renewals, deadAccessTokens, deadRefreshTokens } = report;
    const told = JSON.stringify({ calls, failures: failures.length, ...report });
    process.stderr.write(`${told}\n`);
    assert.deepEqual(failures.slice(0, 3), [], told);
    assert.ok(renewals.succeeded >= 1 && calls > SECONDS, told);
    assert.equal(renewals.mostInFlight, 1, told);
    assert.ok((renewals.mostLeftMs ?? 0) <= (LIFE_S * 1000) / 5, told);
    assert.equal(deadRefreshTokens.uses, 0, told);
    assert.ok(deadAccessTokens.mostUsesOfOne <= PROCESSES * CALLERS, told);
  });

  test(`${KILLS} kills: every connector works, or says truly why it needs a person`, async () => {
    await using fleet = await startFleet(2);
    const { sandbox } = fleet;
    const byConsent: { readonly id: string; readonly grantId: string }[] = [];
    for (let made = 0; made < 6; made++) {
      const { grantId, credentials } = consented(sandbox);
      byConsent.push({ grantId, id: await connect(fleet, credentials) });
    }
    const byClient = [await connect(fleet, CLIENT), await connect(fleet, CLIENT)];
    const ids = [...byConsent.map(({ id }) => id), ...byClient];
    sandbox.faults.add({ kind: 'delay', delayMs: 200, ...TOKENS });
    const over = new AbortController();
    const callers = ids.map(async (id, number) => {
      while (!over.signal.aborted) {
        // A call may meet the process that is just killed.
        await read(fleet, number % 2, id).catch(() => undefined);
        await pause(20);
      }
    });
    for (let kills = 0; kills < KILLS; kills++) {
      await pause(500 + Math.random() * LIFE_S * 1000);
      await fleet.kill(kills % 2);
    }
    over.abort();
    await Promise.all(callers);
    for (const id of byClient) assert.equal((await read(fleet, 0, id)).status, 200);
    let lost = 0;
    for (const { id, grantId } of byConsent) {
      const { status, text } = await read(fleet, 0, id);
      if (status === 200) continue;
      lost++;
      assert.match(text, /The answer to an earlier renewal was lost/);
      const report = sandbox.oauth.grants().find((grant) => grant.id === grantId);
      // What took its place was issued, and used by nobody since.
      assert.ok((report?.renewals.succeeded ?? 0) >= 1, JSON.stringify(report));
      assert.ok((report?.deadRefreshTokens.uses ?? 0) >= 1, JSON.stringify(report));
    }
    process.stderr.write(`${KILLS} kills, ${lost} of ${byConsent.length} pairs lost\n`);
  });
});
