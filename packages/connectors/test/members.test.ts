import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { describeEntity } from '../src/describe.ts';
import { KINDS } from '../src/kinds/index.ts';
import { field } from '../src/vocabulary/field.ts';
import { memberPathsOf } from '../src/vocabulary/members.ts';

const members = {
  name: 'string',
  size: 'string | integer',
  author: { email: 'string' },
  files: [{ url: 'string', value: 'any' }],
} as const;

describe('the known members of a field', () => {
  test('are listed at every depth, each before those below it', () => {
    assert.deepEqual(
      memberPathsOf('source', members, { isArray: false }).map(({ segments, type }) => [
        segments.join(' '),
        type,
      ]),
      [
        ['source name', 'string'],
        ['source size', 'string | integer'],
        ['source author', 'object'],
        ['source author email', 'string'],
        ['source files', 'array'],
        ['source files [] url', 'string'],
        ['source files [] value', 'any'],
      ],
    );
    assert.deepEqual(memberPathsOf('via', { rel: 'string' }, { isArray: true }), [
      { segments: ['via', '[]', 'rel'], type: 'string' },
    ]);
  });

  for (const [what, declared, sound] of [
    ['an object', field.object('Source.', members), (value: unknown) => value],
    ['free form', field.freeForm('Source.', members), (value: unknown) => value],
    ['an array', field.array('Sources.', members), (value: unknown) => [value]],
  ] as const)
    test(`are in the JSON Schema of ${what}, each of which may be missing, null or beside others`, () => {
      const validator = Compile(declared);
      const check = (value: unknown) => validator.Check(sound(value));
      assert.equal(validator.Check(null), true);
      for (const value of [
        {},
        { name: null, author: null, files: null, more: 1 },
        { name: 'a', size: 7, author: { email: 'a@b', more: 1 }, files: [{ url: 'x', value: [] }] },
      ])
        assert.equal(check(value), true, JSON.stringify(value));
      for (const value of [{ name: 1 }, { author: { email: 1 } }, { files: [{ url: 1 }] }])
        assert.equal(check(value), false, JSON.stringify(value));
    });

  test('may be arrays of scalars, which have none', () => {
    const declared = { ids: ['integer'], any: ['any'] } as const;
    assert.deepEqual(memberPathsOf('level', declared, { isArray: false }), [
      { segments: ['level', 'ids'], type: 'array' },
      { segments: ['level', 'any'], type: 'array' },
    ]);
    const validator = Compile(field.object('Level.', declared));
    for (const value of [{ ids: [1, 2], any: [1, 'a', null] }, { ids: null }, {}])
      assert.equal(validator.Check(value), true, JSON.stringify(value));
    assert.equal(validator.Check({ ids: ['1'] }), false);
  });

  test('elements of an array that are scalars are in its JSON Schema, and are no members', () => {
    const tags = field.array('Tags.', 'string');
    const validator = Compile(tags);
    for (const value of [null, [], ['a', 'b']]) assert.equal(validator.Check(value), true);
    for (const value of ['a', [1], [null]]) assert.equal(validator.Check(value), false);
    assert.equal(tags['x-field'], 'array');
    assert.equal(tags['x-members'], undefined);
    const either = Compile(field.array('Ids.', 'string | integer'));
    assert.equal(either.Check(['a', 1]), true);
    assert.equal(either.Check([true]), false);
    assert.equal(Compile(field.array('Things.')).Check([1, null, {}]), true);
  });

  test('are in the description of the record and of what can be searched', () => {
    const kind = KINDS['chat-workspace'];
    const { record, searchable } = describeEntity(kind, kind.entities.users);
    for (const fields of [record, searchable]) {
      const profile = fields.find(({ name }) => name === 'profile');
      assert.deepEqual(
        profile?.members?.filter(({ path }) => /email|expiration/.test(path)),
        [
          { path: 'profile.email', type: 'string' },
          { path: 'profile.status_expiration', type: 'integer' },
        ],
      );
    }
    const tickets = KINDS['support-ticketing'];
    const { searchable: ofTickets } = describeEntity(tickets, tickets.entities.tickets);
    assert.deepEqual(ofTickets.find(({ name }) => name === 'custom_fields')?.members, [
      { path: 'custom_fields[].id', type: 'integer' },
      { path: 'custom_fields[].value', type: 'any' },
    ]);
    const chat = KINDS['support-chat'];
    const { record: ofChats } = describeEntity(chat, chat.entities.chats);
    const engagements = ofChats.find(({ name }) => name === 'engagements');
    assert.deepEqual(
      engagements?.items?.find(({ name }) => name === 'response_time')?.members?.at(0),
      { path: 'engagements[].response_time.first', type: 'integer' },
    );
    assert.equal(ofTickets.find(({ name }) => name === 'subject')?.members, undefined);
  });
});
