import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainStatementError } from './connection-errors.ts';
import { isStoreError } from './store-error.ts';

const TROUBLE = [
  '08006',
  '53100',
  '53200',
  '53300',
  '58030',
  '57P01',
  '57P03',
  '57P05',
  '25006',
  '25P03',
  '26000',
  'ECONNRESET',
  'EPIPE',
];
const OTHERS = ['0A000', '23505', '22021', '40001', '42P01', 'XX000'];
const SILENCE = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
];
const MESSAGES = [
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
];
/** Citus says these with the code of any internal error. */
const LOST_NODES = [
  'could not commit transaction for shard 102008 on at least one active node',
  'failure on connection marked as essential: 10.0.0.2:5432',
  "failed to prepare transaction 'citus_0_17_3_0' on host 10.0.0.2:5432",
];

test('trouble of the connection is told from errors of the statement', () => {
  for (const code of TROUBLE)
    assert.ok(isStoreError(explain('no', code), 'database_unreachable'), code);
  for (const message of MESSAGES)
    assert.ok(isStoreError(explain(message), 'database_unreachable'), message);
  const stale = 'cached plan must not change result type';
  assert.ok(isStoreError(explain(stale, '0A000'), 'database_unreachable'));
  assert.ok(isStoreError(explain('no', '57014'), 'database_silent'));
  for (const message of SILENCE)
    assert.ok(isStoreError(explain(message), 'database_silent'), message);
  for (const message of LOST_NODES)
    assert.ok(isStoreError(explain(message, 'XX000'), 'database_unreachable'), message);
  for (const code of OTHERS) assert.equal(isStoreError(explain('no', code)), false, code);
  assert.equal(isStoreError(explain('something else')), false);
});

function explain(message: string, code?: string): unknown {
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  return explainStatementError(error, 'the database');
}
