import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityDescription } from '../../service/description.ts';
import { elementPathsOf, pathOfText, searchPathsOf, textOfPath } from './search-paths.ts';

const ENTITY: EntityDescription = {
  name: 'things',
  doc: '',
  reference: '',
  actions: [],
  record: [],
  searchable: [
    { name: 'id', type: 'string', doc: '' },
    {
      name: 'profile',
      type: 'object',
      doc: '',
      members: [
        { path: 'profile.email', type: 'string' },
        { path: 'profile.items[].name', type: 'string' },
      ],
      observed: [
        { path: 'profile.email', types: ['string', 'null'], count: 3 },
        { path: ['profile', 'a.b'], types: ['integer', 'null'], count: 2 },
        { path: 'profile.mixed', types: ['integer', 'string'], count: 2 },
      ],
    },
    {
      name: 'customers',
      type: 'array',
      doc: '',
      observed: [{ path: 'customers[].type', types: ['string'], count: 1 }],
    },
  ],
};

test('fields come with what is documented and what was seen below them, each once', () => {
  assert.deepEqual(
    searchPathsOf(ENTITY).map(({ text, type }) => [text, type]),
    [
      ['id', 'string'],
      ['profile', 'object'],
      ['profile.email', 'string'],
      ['["profile","a.b"]', 'integer'],
      ['profile.mixed', undefined],
      ['customers', 'array'],
    ],
  );
});

test('paths inside elements are relative to them', () => {
  for (const [array, texts] of [
    ['customers', ['type']],
    ['profile.items', ['name']],
    ['id', []],
  ] as const)
    assert.deepEqual(
      elementPathsOf(ENTITY, array).map(({ text }) => text),
      texts,
    );
});

test('paths are read as they are shown', () => {
  for (const path of ['a.b', ['a', 'b.c']] as const)
    assert.deepEqual(pathOfText(textOfPath(path)), path);
  assert.equal(pathOfText('["a'), '["a');
});
