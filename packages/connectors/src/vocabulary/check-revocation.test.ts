import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findKind } from '../find-kind.ts';
import { findDefinitionFaults } from './check-definition.ts';
import type { AuthMethod, ConnectorKind, Ending, OAuthServer, Revocation } from './index.ts';

const KIND: ConnectorKind = findKind('support-ticketing');
const OAUTH: OAuthServer = KIND.oauth ?? assert.fail();
const REVOCATION: Revocation = OAUTH.revocation ?? assert.fail();
const METHOD: AuthMethod = KIND.auth['oauth'] ?? assert.fail();
const ENDING: Ending = METHOD.ending ?? assert.fail();

const withRevocation = (revocation: Partial<Revocation>): ConnectorKind => ({
  ...KIND,
  oauth: { ...OAUTH, revocation: { ...REVOCATION, ...revocation } },
});
const withEnding = (ending: Partial<Ending>): ConnectorKind => ({
  ...KIND,
  auth: { ...KIND.auth, oauth: { ...METHOD, ending: { ...ENDING, ...ending } } },
});

test('how credentials end is checked when a definition is loaded', () => {
  const { lookup: _, ...direct } = REVOCATION;
  const { identity: __, ...anonymous } = withRevocation({ ends: 'account' });
  const byHand: AuthMethod = KIND.auth['token'] ?? assert.fail();
  const { revocation: ___, ...irrevocable } = OAUTH;
  for (const [kind, wanted] of [
    [KIND, []],
    [
      { ...KIND, oauth: { ...OAUTH, revocation: direct } },
      ['oauth.revocation.request: has params'],
    ],
    [
      withRevocation({ request: 'DELETE /oauth/tokens' }),
      ['oauth.revocation.request: has not the one param {id}'],
    ],
    [withRevocation({ reference: 'docs' }), ['oauth.revocation.reference: is not an https URL']],
    [
      anonymous,
      ['oauth.revocation.ends: is "account", but the kind does not say whose credentials are'],
    ],
    [
      withEnding({ on: '2027-02-30' }),
      ['auth.oauth.ending.on: "2027-02-30" is no day written YYYY-MM-DD'],
    ],
    [
      withEnding({ on: 'soon', doc: '' }),
      [
        'auth.oauth.ending.on: "soon" is no day written YYYY-MM-DD',
        'auth.oauth.ending.doc: is empty',
      ],
    ],
    [
      { ...KIND, oauth: irrevocable },
      ['oauth', 'client_credentials'].map(
        (each) => `auth.${each}.revoked: is there, but the authorization server has no revocation`,
      ),
    ],
    [
      { ...KIND, auth: { ...KIND.auth, token: { ...byHand, revoked: 'all' } } },
      ['auth.token.revoked: is there, but no authorization server issues these credentials'],
    ],
  ] as const)
    assert.deepEqual(findDefinitionFaults(kind as ConnectorKind), wanted);
});
