import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import { FailedAttempts } from './failed-attempts.ts';

const isTooMany = (error: unknown) => isConnectorError(error, 'rate_limited');

test('failures from one network count together, and those of one client', () => {
  const failed = new FailedAttempts(systemClock, 2);
  const note = (address: string, clientId?: string) => () =>
    failed.note('failed logins', { address, ...(clientId === undefined ? {} : { clientId }) });
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1']) note(address)();
  assert.throws(note('2001:db8::3'), isTooMany);
  for (const address of ['192.0.2.1', '192.0.2.2']) note(address, 'one')();
  assert.throws(note('192.0.2.3', 'one'), isTooMany);
  note('192.0.2.3', 'other')();
});
