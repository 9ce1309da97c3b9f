import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callCli, callJson } from './support/call-cli.ts';
import { startFakeService, type FakeService } from './support/fake-service.ts';
import {
  SLACK_REPLICATION,
  startCliService,
  withoutUser,
  type CliService,
} from './support/start-service.ts';

type Json = Readonly<Record<string, unknown>>;

/** Nothing of this machine counts. */
const NOWHERE = { PATCHBAY_DATA: '/nowhere/data', XDG_CONFIG_HOME: '/nowhere' };

describe('at a service', () => {
  let cli: CliService;
  before(async () => {
    cli = await startCliService('all');
  });
  after(() => cli[Symbol.asyncDispose]());

  describe('patchbay whoami', () => {
    test('tells application, external user and reach, who says so, and no secret', async () => {
      const settings = cli.settings();
      const told = await callJson<Json>(['whoami'], settings);
      const { id, name } = told['application'] as Json;
      assert.match(String(id), /^[0-9a-f-]{36}$/);
      assert.equal(name, 'Default application');
      assert.partialDeepStrictEqual(told, {
        base_url: cli.service.url,
        base_url_from: 'environment',
        client_id: cli.credentials.clientId,
        client_id_from: 'environment',
        external_user_id: settings['PATCHBAY_EXTERNAL_USER_ID'],
        external_user_id_from: 'environment',
        access: 'write',
        profile: null,
      });
      const { code, out, err } = await callCli(['whoami', '--external-user', 'alice'], settings);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^service +http\S+ \(PATCHBAY_BASE_URL\)$/m);
      assert.match(out, /^application +Default application \(/m);
      assert.match(out, /^external_user +alice \(--external-user\)$/m);
      assert.match(out, /^may +read and write, with the connectors of alice$/m);
      assert.ok(!`${JSON.stringify(told)}${out}`.includes(cli.credentials.clientSecret));
    });

    test('an external user without a name is a slip', async () => {
      for (const command of [['whoami'], ['token']]) {
        const args = [...command, '--external-user', ''];
        const { code, out, err } = await callCli(args, cli.settings());
        assert.deepEqual([code, out], [2, '']);
        assert.match(err, /--external-user is empty/);
      }
    });

    test('tells the profile that counts, and where it is', async () => {
      const { XDG_CONFIG_HOME = '', ...settings } = cli.settings();
      const home = { ...NOWHERE, XDG_CONFIG_HOME };
      await callCli(['login', '--profile', 'work'], { ...home, ...settings });
      const { out } = await callCli(['whoami', '--profile', 'work'], home);
      assert.match(out, /^service +http\S+ \(profile work\)$/m);
      assert.ok(out.includes(`work (${XDG_CONFIG_HOME}/patchbay/work.json)`), out);
      assert.match(out, /^client_id +\S+ \(profile work\)$/m);
    });

    test('needs no external user, and ends as a login does where it is refused', async () => {
      const settings = withoutUser(cli.settings());
      const { code, out, err } = await callCli(['whoami'], settings);
      assert.equal(code, 0, err);
      assert.match(out, /^external_user +none$/m);
      assert.match(err, /No external user is set: give --external-user/);
      const wrong = { ...settings, PATCHBAY_CLIENT_SECRET: 'x'.repeat(40) };
      const refused = await callCli(['whoami'], wrong);
      assert.deepEqual([refused.code, refused.out], [3, '']);
      assert.match(refused.err, /\(unauthenticated\)/);
      const nobody = await callCli(['whoami'], NOWHERE);
      assert.deepEqual([nobody.code, /Which application\?/.test(nobody.err)], [2, true]);
    });
  });

  describe('patchbay status', () => {
    test('counts connectors by status, and tells how old the oldest copy is', async () => {
      const user = cli.settings();
      const id = await cli.createSlack(user);
      await callCli(['sync', '--watch'], user);
      await callCli(['connector', 'pause', await cli.createSlack(user)], user);
      const told = await callJson<Json>(['status'], user);
      assert.partialDeepStrictEqual(told, {
        base_url: cli.service.url,
        base_url_from: 'environment',
        reachable: true,
        ready: true,
        logged_in: true,
        error: null,
        connectors: {
          external_user_id: user['PATCHBAY_EXTERNAL_USER_ID'],
          total: 2,
          by_status: { active: 1, paused: 1 },
        },
      });
      const { lag_seconds: lag, entity } = told['freshness'] as Json;
      assert.ok(Number.isInteger(lag) && Number(lag) >= 0, String(lag));
      assert.equal(typeof entity, 'string');
      const { code, out, err } = await callCli(['status'], user);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^state +ready$/m);
      assert.match(out, /^connectors +2 of user-\S+: 1 active, 1 paused$/m);
      assert.match(out, /^freshness +the oldest copy is \d+ (s|min) old: \w+ of \w+/m);
      assert.match(out, new RegExp(`^${id} +chat-workspace +Slack +active +`, 'm'));
    });

    test('is of the whole application where no external user is named', async () => {
      await cli.createSlack(cli.settings());
      const told = await callJson<Json>(['status'], withoutUser(cli.settings()));
      const { external_user_id: user, total } = told['connectors'] as Json;
      assert.deepEqual([user, Number(total) >= 1], [null, true]);
    });

    test('without credentials shows what everybody may know, and how to log in', async () => {
      const settings = { ...NOWHERE, PATCHBAY_BASE_URL: cli.service.url };
      const { code, out, err } = await callCli(['status'], settings);
      assert.equal(code, 0);
      assert.match(out, /^state +ready$/m);
      assert.doesNotMatch(out, /connectors/);
      assert.match(err, /^Log in to see its connectors: patchbay login$/m);
      const told = await callJson<Json>(['status'], settings);
      assert.deepEqual([told['logged_in'], told['connectors']], [false, null]);
    });

    test('ends with 4 where a connector needs new credentials', async () => {
      const user = cli.settings();
      const create = ['connector', 'create', 'slack', '--credentials', '-', ...SLACK_REPLICATION];
      await cli.run(create, user, '{"api_token":"revoked"}');
      await callCli(['execute', 'users', 'list'], user);
      const { code, out } = await callCli(['status', '--json'], user);
      assert.equal(code, 4, out);
      const { by_status: counts } = (JSON.parse(out) as Json)['connectors'] as Json;
      assert.deepEqual(counts, { reauth_required: 1 });
    });

    test('ends with 3 where the service refuses the application, and still shows the service', async () => {
      const wrong = { ...cli.settings(), PATCHBAY_CLIENT_SECRET: 'x'.repeat(40) };
      const { code, out, err } = await callCli(['status'], wrong);
      assert.equal(code, 3);
      assert.match(out, /^state +ready$/m);
      assert.match(err, /\(unauthenticated\)/);
      const json = await callCli(['status', '--json'], wrong);
      assert.deepEqual([json.code, json.err], [3, '']);
      const { error, logged_in: isIn } = JSON.parse(json.out) as Json;
      assert.deepEqual([(error as Json)['code'], isIn], ['unauthenticated', false]);
    });
  });
});

describe('patchbay status', () => {
  const unauthenticated = [401, problem('unauthenticated', 401, 'No token.')] as const;

  test('tells version, database, workers and warnings of a service that says them', async () => {
    const ready = {
      status: 'ready',
      version: '9.8.7',
      role: 'api',
      database: 'postgresql',
      workers: 0,
      warnings: [{ code: 'no_worker', message: 'No process copies\u001b[2J records.' }],
    };
    await using service = await startAnswering({ '/readyz': [200, ready] });
    const { code, out, err } = await statusAt(service.url);
    // Nobody copies.
    assert.equal(code, 4);
    assert.match(out, /^version +9\.8\.7$/m);
    assert.match(out, /^database +postgresql$/m);
    assert.match(out, /^workers +0$/m);
    assert.match(err, /^No process copies\\u001b\[2J records\.$/m);
    const json = await statusAt(service.url, '--json');
    assert.partialDeepStrictEqual(JSON.parse(json.out), {
      version: '9.8.7',
      role: 'api',
      database: 'postgresql',
      workers: 0,
    });
  });

  test('leaves open what a service does not say', async () => {
    await using service = await startAnswering({ '/readyz': [200, { status: 'ready' }] });
    const { code, out } = await statusAt(service.url, '--json');
    assert.equal(code, 0);
    assert.partialDeepStrictEqual(JSON.parse(out), { ready: true, version: null, workers: null });
    const { out: table } = await statusAt(service.url);
    assert.match(table, /^version +not told by this service$/m);
  });

  test('tells a service that is not ready from one that is not there', async () => {
    const starting = problem('not_ready', 503, 'The service is starting.');
    await using service = await startAnswering({
      '/readyz': [503, starting],
      '/v1/applications': unauthenticated,
    });
    const early = await statusAt(service.url);
    assert.equal(early.code, 7);
    assert.match(early.out, /^state +not ready$/m);
    assert.match(early.err, /The service is starting\. \(not_ready\)/);
    const nobody = await statusAt('http://127.0.0.1:9');
    assert.equal(nobody.code, 7);
    assert.match(nobody.out, /^state +not reachable$/m);
    const json = await statusAt('http://127.0.0.1:9', '--json');
    assert.deepEqual([json.code, json.err], [7, '']);
    assert.partialDeepStrictEqual(JSON.parse(json.out), { reachable: false, ready: false });
  });

  test('says that nobody answers where no connection comes about', async () => {
    const service = await startAnswering({});
    await service[Symbol.asyncDispose]();
    const { code, err } = await statusAt(service.url);
    assert.equal(code, 7);
    assert.match(err, /No service answers at http:\S+ \(ECONNREFUSED\)/);
  });

  test('takes no other program for a service', async () => {
    await using other = await startAnswering({ '/readyz': [200, '<html>'] });
    const { code, out, err } = await statusAt(other.url);
    assert.equal(code, 3);
    assert.match(out, /^state +not reachable$/m);
    assert.match(err, /does not answer as a Patchbay service does/);
  });

  test('says how to start a service where none was named', async () => {
    const { code, err } = await callCli(['status'], { ...NOWHERE, PORT: '9' });
    assert.deepEqual([code, /patchbay.* start` starts a service here/.test(err)], [7, true]);
  });
});

function statusAt(url: string, ...flags: readonly string[]) {
  return callCli(['status', ...flags], { ...NOWHERE, PATCHBAY_BASE_URL: url });
}

type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>;

/** A service that answers so, by path, and nothing else. */
function startAnswering(answers: Answers): Promise<FakeService> {
  return startFakeService((request, response) => {
    const [status, body] = answers[request.url ?? ''] ?? [404, 'nothing'];
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

function problem(code: string, status: number, detail: string): Json {
  return {
    type: `https://patchbay.dev/errors/${code}`,
    title: 'Title',
    status,
    detail,
    code,
    retry: 'never',
    request_id: '01970000-0000-7000-8000-000000000000',
    message: detail,
    errors: [],
  };
}
