import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { toyKind } from '../../test/support/toy-kind.ts';
import { faultsOf, isConnectorError } from '../errors.ts';
import {
  bearer,
  connectorKind,
  credential,
  type AuthMethods,
  type ConnectorKind,
} from '../vocabulary/index.ts';
import { authorizationOf, checkCredentials } from './credentials.ts';

const VALUE = 'a-planted-value';

/** The toy kind with the auth methods of chat-workspace, and one with an optional field. */
function kindWith(auth: AuthMethods): ConnectorKind {
  return connectorKind({ ...toyKind, auth });
}

const oauthOrToken = kindWith({
  oauth: bearer({
    label: 'OAuth',
    doc: 'OAuth.',
    fields: {
      client_id: credential.required('Id.'),
      client_secret: credential.required('Secret.'),
      access_token: credential.required('Token.'),
    },
    token: 'access_token',
  }),
  token: bearer({
    label: 'Token',
    doc: 'Token.',
    fields: { api_token: credential.required('Token.', { alias: 'bot_key' }) },
    token: 'api_token',
  }),
});

const withRefresh = kindWith({
  oauth: bearer({
    label: 'OAuth',
    doc: 'OAuth.',
    fields: {
      access_token: credential.required('Token.'),
      refresh_token: credential.optional('Refresh token.'),
    },
    token: 'access_token',
  }),
});

const triple = { client_id: VALUE, client_secret: VALUE, access_token: VALUE };

describe('credentials that fit', () => {
  const rows: readonly (readonly [ConnectorKind, object, string, object])[] = [
    [oauthOrToken, { api_token: VALUE }, 'token', { api_token: VALUE }],
    [oauthOrToken, { bot_key: VALUE }, 'token', { api_token: VALUE }],
    [oauthOrToken, triple, 'oauth', triple],
    [oauthOrToken, { api_token: VALUE, access_token: null }, 'token', { api_token: VALUE }],
    [withRefresh, { access_token: VALUE }, 'oauth', { access_token: VALUE }],
    [
      withRefresh,
      { access_token: VALUE, refresh_token: 'b' },
      'oauth',
      { access_token: VALUE, refresh_token: 'b' },
    ],
    [toyKind, { email: 'a@b', api_token: VALUE }, 'token', { email: 'a@b', api_token: VALUE }],
    // No prefix rules: what the upstream takes is its business.
    [oauthOrToken, { api_token: '!' }, 'token', { api_token: '!' }],
    [oauthOrToken, { api_token: 'with space inside' }, 'token', { api_token: 'with space inside' }],
    [
      oauthOrToken,
      { ...triple, client_id: 'ünïcode' },
      'oauth',
      { ...triple, client_id: 'ünïcode' },
    ],
  ];
  for (const [kind, given, method, values] of rows)
    test(`${Object.keys(given).join(' + ')} is ${method}`, () => {
      assert.deepEqual(checkCredentials(kind, given), { method, values });
    });

  test('become the header of their method', () => {
    const bearerHeader = authorizationOf(oauthOrToken, checkCredentials(oauthOrToken, triple));
    assert.equal(bearerHeader.reveal(), `Bearer ${VALUE}`);
    const basicHeader = authorizationOf(
      toyKind,
      checkCredentials(toyKind, { email: 'ü@b', api_token: 'c:d' }),
    );
    const pair = Buffer.from(basicHeader.reveal().slice('Basic '.length), 'base64').toString();
    assert.equal(pair, 'ü@b/token:c:d');
    assert.equal(String(bearerHeader), '[secret]');
  });
});

describe('credentials that do not fit', () => {
  const rows: readonly (readonly [unknown, ...string[]])[] = [
    [undefined, 'credentials wrong_type'],
    [null, 'credentials wrong_type'],
    [VALUE, 'credentials wrong_type'],
    [[VALUE], 'credentials wrong_type'],
    [{}, 'credentials missing'],
    [{ api_token: null }, 'credentials missing'],
    [{ api_token: '' }, 'credentials.api_token wrong_type', 'credentials missing'],
    [{ api_token: 5 }, 'credentials.api_token wrong_type', 'credentials missing'],
    [{ api_token: [VALUE] }, 'credentials.api_token wrong_type', 'credentials missing'],
    [{ api_token: VALUE, bot_key: VALUE }, 'credentials.bot_key conflict'],
    [{ ...triple, api_token: VALUE }, 'credentials.api_token conflict'],
    [{ api_token: VALUE, client_id: VALUE }, 'credentials.client_id conflict'],
    [{ access_token: VALUE }, 'credentials.client_id missing', 'credentials.client_secret missing'],
    [{ client_id: VALUE, client_secret: VALUE }, 'credentials.access_token missing'],
    [{ api_tokn: VALUE }, 'credentials.api_tokn unknown', 'credentials missing'],
    [{ api_token: VALUE, password: VALUE }, 'credentials.password unknown'],
    [{ api_token: VALUE, constructor: VALUE }, 'credentials.constructor unknown'],
    [
      JSON.parse(`{"api_token":"${VALUE}","__proto__":"${VALUE}"}`),
      'credentials.__proto__ unknown',
    ],
    [{ api_token: `${VALUE}\n` }, 'credentials.api_token not_allowed'],
    [{ api_token: ` ${VALUE}` }, 'credentials.api_token not_allowed'],
    [{ api_token: `${VALUE}\r\nx: y` }, 'credentials.api_token not_allowed'],
    [{ api_token: `${VALUE}\u0000` }, 'credentials.api_token not_allowed'],
    [{ api_token: `${VALUE}é` }, 'credentials.api_token not_allowed'],
    [{ ...triple, client_secret: `${VALUE}\u0000` }, 'credentials.client_secret not_allowed'],
  ];
  for (const [given, ...faults] of rows)
    test(`${inspect(given, { breakLength: Infinity }).slice(0, 60)}: ${faults.join(', ')}`, () => {
      assert.throws(
        () => checkCredentials(oauthOrToken, given),
        (error) => {
          assert.ok(isConnectorError(error, 'invalid_credentials'));
          assert.equal(error.status, 422);
          assert.deepEqual(
            faultsOf(error).map(({ field, errorCode }) => `${field} ${errorCode}`),
            faults,
          );
          assert.match(error.message, /OAuth takes client_id, client_secret, access_token/);
          assert.match(error.message, /Token takes api_token \(or bot_key\)/);
          assert.ok(!(error.message + JSON.stringify(error)).includes(VALUE), 'no value is told');
          return true;
        },
      );
    });

  test('a token that was cut off where it was copied is told so', () => {
    const message = /characters beyond ASCII.*"…"/;
    assert.throws(() => checkCredentials(oauthOrToken, { api_token: `${VALUE}…` }), { message });
  });

  test('a nearly right name is told, and optional fields are called so', () => {
    assert.throws(
      () => checkCredentials(withRefresh, { acces_token: VALUE }),
      (error) => {
        assert.ok(isConnectorError(error, 'invalid_credentials'));
        assert.deepEqual(faultsOf(error)[0]?.didYouMean, 'access_token');
        assert.match(error.message, /optionally refresh_token/);
        return true;
      },
    );
  });
});
