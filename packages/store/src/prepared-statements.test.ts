import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolClient } from 'pg';
import { FrequentStatements, PreparedStatements } from './prepared-statements.ts';

/** A connection of the driver's, which notes what it closes. */
function makeConnection() {
  const closed: string[] = [];
  const parsedStatements: Record<string, string> = {};
  const connection = {
    close: ({ name }: { readonly name: string }) => closed.push(name),
    parsedStatements,
    submittedNamedStatements: {},
  };
  return { closed, parsedStatements, client: { connection } as unknown as PoolClient };
}

test('a statement is kept once it has come often, over whichever connections', () => {
  const frequent = new FrequentStatements();
  const [one, other] = [makeConnection(), makeConnection()].map(
    ({ client }) => new PreparedStatements(client, frequent),
  );
  assert.ok(one !== undefined && other !== undefined);
  const names = Array.from({ length: 6 }, (_, index) =>
    (index % 2 === 0 ? one : other).nameOf('select 1'),
  );
  assert.deepEqual(names, [undefined, undefined, undefined, undefined, undefined, 'patchbay_1']);
  assert.equal(one.nameOf('select 1'), 'patchbay_1');
  assert.equal(one.nameOf('select 2'), undefined);
});

test('a connection keeps the fifty statements that it used last', () => {
  const frequent = new FrequentStatements();
  const { client, closed, parsedStatements } = makeConnection();
  const prepared = new PreparedStatements(client, frequent);
  const nameOf = (text: string) => {
    for (let times = 0; times < 5; times++) frequent.isFrequent(text);
    return prepared.nameOf(text);
  };
  const names = Array.from({ length: 50 }, (_, index) => nameOf(`select ${index}`));
  for (const name of names) if (name !== undefined) parsedStatements[name] = 'as pg notes it';
  assert.equal(new Set(names).size, 50);
  assert.equal(nameOf('select 0'), names[0]);
  assert.deepEqual(closed, []);
  assert.equal(nameOf('select 50'), 'patchbay_51');
  assert.deepEqual(closed, [names[1]]);
  assert.deepEqual(Object.keys(parsedStatements), names.toSpliced(1, 1));
  // It is prepared anew, under a name that was never another statement's.
  assert.equal(nameOf('select 1'), 'patchbay_52');
});

test('a long statement is not kept, however often it comes', () => {
  const prepared = new PreparedStatements(makeConnection().client, new FrequentStatements());
  const repeat = (text: string) => Array.from({ length: 6 }, () => prepared.nameOf(text)).at(-1);
  assert.equal(repeat(`select 1${' '.repeat(9_992)}`), 'patchbay_1');
  assert.equal(repeat(`select 1${' '.repeat(9_993)}`), undefined);
});

test('of statements that come once, few are remembered', () => {
  const frequent = new FrequentStatements();
  const repeat = () => frequent.isFrequent('select 1');
  for (let times = 0; times < 5; times++) assert.equal(repeat(), false);
  for (let other = 0; other < 499; other++) frequent.isFrequent(`select ${other} as other`);
  assert.equal(repeat(), true);
  for (let other = 0; other < 500; other++) frequent.isFrequent(`select ${other} as another`);
  assert.equal(repeat(), false);
});
