import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnAddress, type Outcome } from '../src/return-address.ts';

const SUCCEEDED: Outcome = {
  session_id: 's2',
  status: 'succeeded',
  connector_id: 'c2',
  error: null,
};
const DECLINED: Outcome = {
  session_id: 's2',
  status: 'open',
  connector_id: null,
  error: { code: 'access_denied', message: 'No.' },
};

const rows: readonly (readonly [string, Outcome, string])[] = [
  ['?tab=1', SUCCEEDED, '?tab=1&session_id=s2&status=succeeded&connector_id=c2'],
  [
    '?session_id=s1&status=open&error=access_denied&error_description=x',
    SUCCEEDED,
    '?session_id=s2&status=succeeded&connector_id=c2',
  ],
  ['?connector_id=c1&connector_id=c0', DECLINED, '?session_id=s2&status=open&error=access_denied'],
];

for (const [before, outcome, after] of rows)
  test(`back to ${before}, the address tells ${outcome.status} of this attempt alone`, () => {
    const back = 'https://app.example.com/connected';
    assert.equal(returnAddress(back + before, outcome), back + after);
  });
