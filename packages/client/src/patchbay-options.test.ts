import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { isConnectorError } from '@patchbay/connectors/definitions';
import type { Globals } from './globals.ts';
import { resolveOptions } from './patchbay-options.ts';

const ENVIRONMENT = {
  PATCHBAY_BASE_URL: 'https://from-the-environment',
  PATCHBAY_CLIENT_ID: 'id-of-the-environment',
  PATCHBAY_CLIENT_SECRET: 'secret-of-the-environment',
  PATCHBAY_EXTERNAL_USER_ID: 'user-of-the-environment',
};
const GIVEN = {
  baseUrl: 'https://given',
  clientId: 'given-id',
  clientSecret: 'given-secret',
  externalUserId: 'given-user',
};
const SERVER: Globals = { process: { env: ENVIRONMENT } };
const BARE_SERVER: Globals = { process: { env: {} } };
const PAGE: Globals = { document: {}, process: { env: ENVIRONMENT } };
const getToken = () => Promise.resolve('a-token');

const missing = (name: string, variable: string) =>
  `${name} is missing: give it, or set ${variable}`;
const conflict = (name: string) =>
  `${name} cannot stand beside token, which says who calls and for whom`;

describe('options', () => {
  test('what is left out comes from the environment', () => {
    const { baseUrl, caller, timeoutMs } = resolveOptions({}, SERVER);
    assert.equal(baseUrl, 'https://from-the-environment');
    assert.equal(timeoutMs, 60_000);
    assert.deepEqual(caller, {
      clientId: 'id-of-the-environment',
      clientSecret: 'secret-of-the-environment',
      externalUserId: 'user-of-the-environment',
      access: 'write',
    });
  });

  test('an option that is given wins, each for itself', () => {
    const { baseUrl: _, ...owner } = GIVEN;
    const all = resolveOptions({ ...GIVEN, baseUrl: 'https://given/', access: 'read' }, SERVER);
    assert.equal(all.baseUrl, 'https://given');
    assert.deepEqual(all.caller, { ...owner, access: 'read' });
    const one = resolveOptions({ externalUserId: 'given-user' }, SERVER);
    assert.equal(one.baseUrl, 'https://from-the-environment');
    assert.equal('externalUserId' in one.caller && one.caller.externalUserId, 'given-user');
  });

  for (const unknown of [
    { externalUserID: 'bob' },
    { acess: 'read' },
    { baseURL: 'https://given' },
  ])
    test(`${Object.keys(unknown).join()} is a fault: the environment’s would take its place`, () => {
      assert.throws(
        () => resolveOptions(unknown as object, SERVER),
        (error) => isConnectorError(error, 'invalid_config'),
      );
    });

  test('with token, nothing but the address comes from the environment', () => {
    const { baseUrl, caller } = resolveOptions({ token: getToken }, SERVER);
    assert.equal(baseUrl, 'https://from-the-environment');
    assert.deepEqual(caller, { getToken });
  });

  test('a variable that is not needed is not read', () => {
    const env = new Proxy(ENVIRONMENT, {
      get: (_, name) => assert.fail(`${String(name)} was read`),
    });
    assert.equal(resolveOptions(GIVEN, { process: { env } }).baseUrl, 'https://given');
  });

  test('in a browser the environment counts for nothing, and token is enough', () => {
    const { baseUrl, caller } = resolveOptions({ baseUrl: 'https://given', token: getToken }, PAGE);
    assert.equal(baseUrl, 'https://given');
    assert.deepEqual(caller, { getToken });
  });
});

describe('wrong options', () => {
  /** Everything that callers without types may give. */
  type Row = readonly [what: string, options: object, globals: Globals, faults: readonly string[]];
  const rows: readonly Row[] = [
    [
      'everything is missing',
      {},
      BARE_SERVER,
      [
        missing('baseUrl', 'PATCHBAY_BASE_URL'),
        missing('clientId', 'PATCHBAY_CLIENT_ID'),
        missing('clientSecret', 'PATCHBAY_CLIENT_SECRET'),
        missing('externalUserId', 'PATCHBAY_EXTERNAL_USER_ID'),
      ],
    ],
    [
      'a variable is empty',
      { ...GIVEN, clientId: undefined },
      { process: { env: { ...ENVIRONMENT, PATCHBAY_CLIENT_ID: '' } } },
      [missing('clientId', 'PATCHBAY_CLIENT_ID')],
    ],
    [
      'there is no environment',
      { ...GIVEN, baseUrl: undefined },
      {},
      ['baseUrl is missing: give it'],
    ],
    [
      'an empty option, in spite of the environment',
      { ...GIVEN, clientSecret: '' },
      SERVER,
      ['clientSecret must be a non-empty string'],
    ],
    [
      'an option of another type',
      { ...GIVEN, externalUserId: 17, access: 'admin' },
      SERVER,
      ['externalUserId must be a non-empty string', 'access must be "read" or "write"'],
    ],
    [
      'credentials beside token',
      { ...GIVEN, token: getToken },
      SERVER,
      [conflict('clientId'), conflict('clientSecret'), conflict('externalUserId')],
    ],
    [
      'a token instead of a function',
      { baseUrl: 'https://given', token: 'given-secret' },
      SERVER,
      ['token must be a function that brings a scoped token'],
    ],
    [
      'a page without a token',
      { baseUrl: 'https://given' },
      PAGE,
      ['token must be a function that brings a scoped token'],
    ],
    ['a page without an address', { token: getToken }, PAGE, ['baseUrl is missing: give it']],
    [
      'a secret in a page',
      { baseUrl: 'https://given', token: getToken, clientSecret: 'given-secret' },
      PAGE,
      [
        'clientSecret must not be in a browser, where everyone can read it; instead, have token get scoped tokens from your own backend',
      ],
    ],
    [
      'an address that is none',
      { ...GIVEN, baseUrl: 'ftp://given-secret@host' },
      SERVER,
      ['baseUrl must be an http or https URL without credentials, query and fragment'],
    ],
  ];
  for (const [what, options, globals, faults] of rows)
    test(what, () => {
      assert.throws(
        () => resolveOptions(options, globals),
        (error) => {
          assert.ok(isConnectorError(error, 'invalid_config'));
          assert.equal(error.message, `Wrong options: ${faults.join('; ')}`);
          assert.deepEqual(
            error.details.faults.map(({ field, message }) => `${field} ${message}`),
            faults,
          );
          return !/given-secret|secret-of-the-environment/.test(inspect(error, { depth: 9 }));
        },
      );
    });
});
