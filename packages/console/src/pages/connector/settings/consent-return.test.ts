import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consentAddress, consentReturn } from './consent-return.ts';

/** What the service makes of a return URL: the same with what happened in its query. */
function back(id: string, outcome: Readonly<Record<string, string>>): URLSearchParams {
  const url = new URL(consentAddress(id), 'http://console');
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url.searchParams;
}

test('whoever comes back from a vendor gets to the settings of the connector, with the outcome', () => {
  assert.equal(
    consentReturn(back('7', { connector_id: '7' })),
    '/connectors/7?tab=settings&consent=given',
  );
  assert.equal(
    consentReturn(back('7', { error: 'access_denied', error_description: 'x' })),
    '/connectors/7?tab=settings&consent=access_denied',
  );
});

test('whoever consented for a new connector gets to the page of new ones, with the outcome', () => {
  const outcome = { connector_id: '7', error: 'access_denied', error_description: 'x y' };
  assert.equal(
    consentReturn(new URLSearchParams(outcome)),
    '/new?connector_id=7&error=access_denied',
  );
});

test('an address that somebody else wrote leads nowhere but to a page of the console', () => {
  assert.equal(consentReturn(new URLSearchParams({ kind: 'a', to: '//evil.example' })), '/new?');
  assert.equal(
    consentReturn(new URLSearchParams({ of: '//evil.example/?', error: 'a&tab=b' })),
    '/connectors/%2F%2Fevil.example%2F%3F?tab=settings&consent=a%26tab%3Db',
  );
});
