import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { standardTables } from './copy-table.ts';
import { DistinctNumbers } from './distinct-numbers.ts';
import { TermMaker } from './record-terms.ts';

const DEPTH = 400;
const TIMES = 500;

const text = 'again '.repeat(TIMES);
const texts = Array.from({ length: TIMES }, () => ['again']);

for (const [where, value] of Object.entries({ 'in a text': text, 'in many texts': texts }))
  test(`a word that stands ${where} many times is hashed once for all that is around`, () => {
    const table = standardTables().of({ kind: 'chat-workspace', entity: 'users' });
    const values = table.columns.map(({ field: { name } }) =>
      name === 'profile' ? nested(value) : null,
    );
    const making = new TermMaker('connector', table).make([values]);
    const add = mock.method(DistinctNumbers.prototype, 'add');
    try {
      making.next();
      assert.ok(add.mock.callCount() < 2 * TIMES, `added ${add.mock.callCount()} times`);
    } finally {
      add.mock.restore();
    }
    const made = making.next();
    assert.ok(made.done === true);
    assert.equal(made.value.terms.length, DEPTH + 1);
  });

function nested(value: unknown): unknown {
  let outer = value;
  for (let level = 0; level < DEPTH; level++) outer = { a: outer };
  return outer;
}
