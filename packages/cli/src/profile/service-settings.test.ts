import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { writeProfile } from './profile-file.ts';
import { findAddress, findSettings, resolveSettings } from './service-settings.ts';

const HERE = 'https://here.example.com';
const THERE = 'https://there.example.com';
const STORED = 'the stored secret';
const GIVEN = { PATCHBAY_CLIENT_ID: 'given', PATCHBAY_CLIENT_SECRET: 'the given secret' };

const folder = mkdtempSync(join(tmpdir(), 'patchbay-settings-'));
after(() => rm(folder, { recursive: true }));

/** An environment in which that profile is stored, for `HERE`. */
function withProfile(name: string, baseUrl = HERE) {
  const environment = {
    XDG_CONFIG_HOME: mkdtempSync(join(folder, 'config-')),
    PATCHBAY_DATA: join(folder, 'nowhere'),
    PATCHBAY_EXTERNAL_USER_ID: 'alice',
  };
  const profile = { baseUrl, clientId: 'stored', clientSecret: STORED, externalUserId: 'bob' };
  writeProfile(name, profile, environment);
  return environment;
}

describe('the secret of a profile', () => {
  const elsewhere = [
    ['default', { baseUrl: THERE }, {}, '--base-url'],
    ['default', {}, { PATCHBAY_BASE_URL: THERE }, 'PATCHBAY_BASE_URL'],
    ['work', { baseUrl: THERE, profile: 'work' }, {}, '--base-url'],
    ['work', { baseUrl: THERE, profile: 'work' }, GIVEN, '--base-url'],
    ['work', {}, { PATCHBAY_BASE_URL: THERE, PATCHBAY_PROFILE: 'work' }, 'PATCHBAY_BASE_URL'],
    ['default', { baseUrl: THERE }, { PATCHBAY_CLIENT_ID: 'stored' }, '--base-url'],
    ['default', { baseUrl: THERE }, { PATCHBAY_CLIENT_SECRET: 'x' }, '--base-url'],
    ['default', { baseUrl: 'http://here.example.com' }, {}, '--base-url'],
    ['default', { baseUrl: `${HERE}:8443` }, {}, '--base-url'],
    ['default', { baseUrl: `${HERE}/another` }, {}, '--base-url'],
  ] as const;
  for (const [name, flags, variables, setting] of elsewhere)
    test(`goes to its own address alone: ${name}, ${JSON.stringify([flags, variables])}`, () => {
      const environment = { ...withProfile(name), ...variables };
      const { application, address } = findSettings(flags, environment);
      assert.equal(application, undefined);
      assert.throws(
        () => resolveSettings(flags, environment),
        (error: Error) => {
          assert.equal(error.name, 'CommandError');
          for (const says of [`profile ${name}`, HERE, `${address.baseUrl} (${setting})`])
            assert.ok(error.message.includes(says), error.message);
          assert.match(error.message, /set both PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET/);
          assert.ok(!error.message.includes(STORED), error.message);
          return true;
        },
      );
    });

  for (const same of ['HTTPS://Here.Example.com/', `${HERE}:443`, `${HERE}//`])
    test(`goes to its own address in another spelling: ${same}`, () => {
      const environment = withProfile('default', HERE);
      assert.equal(resolveSettings({ baseUrl: same }, environment).clientSecret, STORED);
    });

  test('is not needed for another address where id and secret are given for it', () => {
    const environment = { ...withProfile('default'), ...GIVEN, PATCHBAY_BASE_URL: THERE };
    assert.deepEqual(resolveSettings({}, environment), {
      baseUrl: THERE,
      clientId: 'given',
      clientSecret: 'the given secret',
      externalUserId: 'alice',
    });
  });
});

describe('a profile that a flag names', () => {
  const flags = { profile: 'work' };
  const variables = { ...GIVEN, PATCHBAY_BASE_URL: THERE, PATCHBAY_PROFILE: 'another' };

  test('comes before the environment with its address and application', () => {
    const environment = withProfile('work');
    for (const more of [
      variables,
      GIVEN,
      { PATCHBAY_CLIENT_SECRET: 'x' },
      { PATCHBAY_CLIENT_ID: 'x' },
    ])
      assert.deepEqual(resolveSettings(flags, { ...environment, ...more }), {
        baseUrl: HERE,
        clientId: 'stored',
        clientSecret: STORED,
        externalUserId: 'alice',
      });
    const { address, application, profile } = findSettings(flags, { ...environment, ...variables });
    assert.deepEqual([address.from, application?.from, profile], ['profile', 'profile', 'work']);
  });

  test('says where the operator means, too', () => {
    const environment = { ...withProfile('work'), ...variables };
    assert.deepEqual(findAddress(flags, environment), { baseUrl: HERE, from: 'profile' });
  });

  test('counts after the environment where a variable names it', () => {
    const environment = { ...withProfile('work'), ...GIVEN, PATCHBAY_PROFILE: 'work' };
    const { baseUrl, clientId } = resolveSettings({}, environment);
    assert.deepEqual([baseUrl, clientId], [HERE, 'given']);
  });
});

describe('the secret that a first start leaves beside the data folder', () => {
  const environment = {
    XDG_CONFIG_HOME: join(folder, 'none'),
    PATCHBAY_DATA: join(folder, 'data'),
  };
  const settings = { ...environment, PATCHBAY_EXTERNAL_USER_ID: 'alice' };
  const path = `${settings.PATCHBAY_DATA}.client.json`;
  const leave = () =>
    writeFile(path, JSON.stringify({ client_id: 'stored', client_secret: STORED }), {
      mode: 0o600,
    });

  for (const [flags, variables, setting] of [
    [{ baseUrl: THERE }, {}, `${THERE} (--base-url)`],
    [{}, { PATCHBAY_BASE_URL: THERE }, `${THERE} (PATCHBAY_BASE_URL)`],
    [{}, { PATCHBAY_BASE_URL: 'http://127.0.0.1.example.com' }, 'example.com (PATCHBAY_BASE_URL)'],
  ] as const)
    test(`goes to this machine alone: ${JSON.stringify([flags, variables])}`, async () => {
      await leave();
      assert.throws(
        () => resolveSettings(flags, { ...settings, ...variables }),
        (error: Error) => {
          assert.equal(error.name, 'CommandError');
          for (const says of [path, setting, 'set both PATCHBAY_CLIENT_ID'])
            assert.ok(error.message.includes(says), error.message);
          assert.ok(!error.message.includes(STORED), error.message);
          return true;
        },
      );
    });

  test('goes to any port of it', async () => {
    await leave();
    for (const baseUrl of ['http://127.0.0.1:9000', 'http://localhost:8080', 'http://[::1]:8080'])
      assert.equal(resolveSettings({ baseUrl }, settings).clientSecret, STORED);
    assert.equal(resolveSettings({}, { ...settings, PORT: '9000' }).clientSecret, STORED);
  });

  test('is said to be there, where the client id is of another application', async () => {
    await leave();
    const another = { ...settings, PATCHBAY_CLIENT_ID: 'other' };
    assert.throws(() => resolveSettings({}, another), {
      message: `Which application? Set PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET (the secret is missing), or log in: patchbay login. The secret in ${path} is of another one.`,
    });
  });
});

test('a profile of another application is said to be there', () => {
  const environment = { ...withProfile('default'), PATCHBAY_CLIENT_ID: 'other' };
  const flags = { profile: 'default' };
  assert.equal(resolveSettings(flags, environment).clientId, 'stored');
  assert.throws(
    () => resolveSettings({}, environment),
    /\(the secret is missing\).* The secret of profile default is of another one\.$/,
  );
});

describe('a port at which no start serves', () => {
  for (const PORT of ['many', '80@there.example.com', '65536', '-1', '80.5', '8080 '])
    test(`is refused: ${JSON.stringify(PORT)}`, () => {
      const environment = { XDG_CONFIG_HOME: folder, PORT };
      assert.throws(() => findAddress({}, environment), {
        name: 'CommandError',
        message: `PORT must be an integer from 0 to 65535, got ${JSON.stringify(PORT)}: mend it, or say where the service is with --base-url or PATCHBAY_BASE_URL.`,
      });
      assert.equal(findAddress({ baseUrl: HERE }, environment).baseUrl, HERE);
    });
});
