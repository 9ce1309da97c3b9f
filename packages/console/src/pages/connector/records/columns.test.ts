import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityDescription } from '@patchbay/client';
import { columnsIn, columnsText } from './columns.ts';

const field = (name: string, type: string) => ({ name, type, doc: '' });

const USERS: EntityDescription = {
  name: 'users',
  doc: '',
  reference: '',
  actions: [],
  record: ['id', 'name', 'profile', 'age', 'bot', 'zone', 'note', 'phone'].map((name) =>
    field(name, 'string?'),
  ),
  searchable: [
    field('age', 'integer'),
    field('bot', 'boolean'),
    field('has_2fa', 'boolean'),
    field('id', 'string'),
    field('name', 'string'),
    field('note', 'string'),
    field('profile', 'object'),
    field('zone', 'string'),
  ],
};

const USUAL = ['name', 'age', 'bot', 'zone', 'note'];

test('the usual columns are the first fields of a record that fit into a cell', () => {
  assert.deepEqual(columnsIn(new URLSearchParams(), USERS), USUAL);
});

test('an address names columns, in the order of a record; what is no field is passed over', () => {
  const query = new URLSearchParams({ columns: 'has_2fa,zone,phone,nonsense,profile' });
  assert.deepEqual(columnsIn(query, USERS), ['profile', 'zone', 'has_2fa']);
  assert.deepEqual(columnsIn(new URLSearchParams({ columns: 'nonsense' }), USERS), USUAL);
});

test('what an address says of columns names them again, and of the usual ones it says nothing', () => {
  const columns = ['profile', 'zone'];
  const query = new URLSearchParams({ columns: columnsText(columns, USERS) });
  assert.deepEqual(columnsIn(query, USERS), columns);
  assert.equal(columnsText(USUAL, USERS), '');
});
