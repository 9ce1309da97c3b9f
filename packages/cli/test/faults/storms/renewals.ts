import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVER } from '@patchbay/store/testing';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { startCli, temporaryFolder, type RunningCli } from '../../support/run-cli.ts';
import { Findings } from '../findings.ts';

/** How much of it there is. */
export interface StormSize {
  readonly processes: number;
  /** Of each process. */
  readonly callers: number;
  readonly seconds: number;
  readonly kills: number;
}

/** What a storm did, and what was found to be wrong. */
export interface StormOutcome {
  /** How often something went wrong on purpose. */
  readonly injected: number;
  readonly calls: number;
  readonly findings: Findings;
  /** What happened, in one line. */
  readonly told: string;
}

const COLLECTION = '/v1/integrations/connectors';
const LIFE_S = 5;
const CLIENT = { client_id: 'sandbox-support', client_secret: 'sandbox-support-secret' };
const TOKENS = { method: 'POST /oauth/tokens' } as const;
const READ = { entity: 'tags', action: 'list', params: {} };
const ADMISSION = { PATCHBAY_CALLS_AT_ONCE_PER_USER: '1000', PATCHBAY_CALLS_AT_ONCE: '2000' };

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Fleet extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Calls the service of that index. */
  call(index: number, path: string, body: object): Promise<Answer>;
  /** Changes a connector. */
  change(id: string, body: object): Promise<Answer>;
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
    change: (id, body) =>
      send({ method: 'PATCH', url: `${running[0]?.url}${COLLECTION}/${id}` }, body, token),
    kill: async (index) => {
      const old = running[index];
      old?.process.process.kill('SIGKILL');
      await old?.process.finished;
      running[index] = await start();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function post(url: string, body: object, token?: string): Promise<Answer> {
  return send({ method: 'POST', url }, body, token);
}

async function send(
  { method, url }: { readonly method: string; readonly url: string },
  body: object,
  token?: string,
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
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
  const created = await fleet.call(0, COLLECTION, {
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

/**
 * Calls over several processes on one database, of a connector whose tokens live five seconds, while the token
 * endpoint is slow, fails one time in three, and hangs.
 */
export async function stormOfCalls({
  processes,
  callers,
  seconds,
}: StormSize): Promise<StormOutcome> {
  await using fleet = await startFleet(processes);
  const findings = new Findings();
  const { sandbox } = fleet;
  const { grantId, credentials } = consented(sandbox);
  const id = await connect(fleet, credentials);
  // Its sync would be one more caller than are counted.
  const paused = await fleet.change(id, { paused: true });
  assert.equal(paused.status, 200, paused.text);
  sandbox.faults.add({ kind: 'delay', delayMs: 300, ...TOKENS });
  sandbox.faults.add({ kind: 'serverError', every: 3, ...TOKENS });
  sandbox.faults.add({ kind: 'hang', every: 5, ...TOKENS });
  const endsAt = Date.now() + seconds * 1000;
  let calls = 0;
  const caller = async (index: number) => {
    while (Date.now() < endsAt) {
      const { status } = await read(fleet, index, id);
      calls++;
      if (status !== 200) findings.add('wrong', 'a call failed that could have waited');
      await pause(20);
    }
  };
  await Promise.all(
    Array.from({ length: processes * callers }, (_, number) => caller(number % processes)),
  );
  const report = reportOf(sandbox, grantId);
  const { renewals, deadAccessTokens, deadRefreshTokens } = report;
  const { mostInFlight, mostLeftMs, succeeded, asked } = renewals;
  if (succeeded === 0 || calls <= seconds) findings.add('wrong', 'next to nothing happened');
  if (mostInFlight > 1) findings.add('doubled', 'two renewals were in flight at once');
  if ((mostLeftMs ?? 0) > (LIFE_S * 1000) / 5) findings.add('doubled', 'a fresh token was renewed');
  if (deadRefreshTokens.uses > 0) findings.add('wrong', 'a dead refresh token was used');
  if (deadAccessTokens.mostUsesOfOne > processes * callers)
    findings.add('wrong', 'a caller used a dead token twice');
  return { injected: asked, calls, findings, told: JSON.stringify({ calls, ...report }) };
}

/** Kills of processes at random moments of renewals: every connector works, or says truly why it cannot. */
export async function stormOfKills({ kills }: StormSize): Promise<StormOutcome> {
  await using fleet = await startFleet(2);
  const findings = new Findings();
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
  let calls = 0;
  const callers = ids.map(async (id, number) => {
    while (!over.signal.aborted) {
      // A call may meet the process that is just killed.
      await read(fleet, number % 2, id).catch(() => undefined);
      calls++;
      await pause(20);
    }
  });
  for (let killed = 0; killed < kills; killed++) {
    await pause(500 + Math.random() * LIFE_S * 1000);
    await fleet.kill(killed % 2);
  }
  over.abort();
  await Promise.all(callers);
  for (const id of byClient)
    if ((await read(fleet, 0, id)).status !== 200)
      findings.add('lost', 'a connector of client credentials did not recover');
  let ended = 0;
  for (const { id, grantId } of byConsent) {
    const { status, text } = await read(fleet, 0, id);
    if (status === 200) continue;
    ended++;
    const { renewals, deadRefreshTokens } = reportOf(sandbox, grantId);
    // What took its place was issued, and used by nobody since.
    const isTrue = renewals.succeeded > 0 && deadRefreshTokens.uses > 0;
    if (!isTrue || !text.includes('The answer to an earlier renewal was lost'))
      findings.add('lost', 'credentials that still worked were given up');
  }
  const told = `${kills} kills, ${ended} of ${byConsent.length} pairs ended with the answer`;
  return { injected: kills, calls, findings, told };
}

function reportOf(sandbox: Sandbox, grantId: string) {
  const report = sandbox.oauth.grants().find(({ id }) => id === grantId);
  assert.ok(report !== undefined);
  return report;
}
