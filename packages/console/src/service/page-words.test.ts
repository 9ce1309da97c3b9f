import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inWordsOfPages } from './page-words.ts';

const AT = '/v1/integrations/connectors/01a2028e-7446-79d8-bd2c-204277a15b34';

test('what a message says to programs is said to people', () => {
  const said: Readonly<Record<string, string>> = {
    'The Patchbay service at http://a cannot be reached. Check the network and baseUrl.':
      'The Patchbay service at http://a cannot be reached. Check the network.',
    'http://a answered HTTP 404, not as a Patchbay service does. Check that baseUrl is the address of a Patchbay service, without a redirect.':
      'http://a answered HTTP 404, not as a Patchbay service does. Something else may stand in its place.',
    'It may have happened; repeating the call with idempotencyKey "x" (details.idempotencyKey) is safe for 24 hours.':
      'It may have happened; sending it again with the same key is safe for 24 hours.',
    [`Resume it, which starts a sync by itself: PATCH ${AT} {"paused":false}`]:
      'Resume it, which starts a sync by itself, at the top of its page',
    [`Its application can enable it: PATCH ${AT} {"disabled":false}`]:
      'Its application can enable it, at the top of its page',
    [`The connector lacks the config subdomain. Send: PATCH ${AT} {"config":{"subdomain":"<subdomain>"}}`]:
      'The connector lacks the config subdomain. Its settings have the fields.',
    'The upstream refused the credentials of this connector; PATCH new credentials, or let a check pass.':
      'The upstream refused the credentials of this connector; give it new ones in its settings, or let a check pass.',
    'The params of users.list are wrong: params.limit must be an integer, params.query.filter is required.':
      'The fields of users.list are wrong: limit must be an integer, query.filter is required.',
  };
  for (const [message, words] of Object.entries(said)) assert.equal(inWordsOfPages(message), words);
});

test('what it quotes of others turns nothing around it', () => {
  assert.equal(inWordsOfPages('It said:\n\u202eon'), String.raw`It said: \u202eon`);
});
