import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEntity } from './execution/check-call.ts';
import { compileSelection } from './field-selection.ts';
import { allKinds } from './find-kind.ts';

const [kind] = allKinds();
assert.ok(kind !== undefined);
const messages = findEntity(kind, 'channel_messages');

const RECORD = {
  ts: '1',
  text: 'hi',
  reactions: [
    { name: 'a', users: ['U1'], count: 1 },
    { name: 'b', users: ['U2'], count: 2 },
  ],
  edited: { user: 'U1', ts: '2', __proto__: { inherited: true } },
  blocks: null,
};

function select(request: Parameters<typeof compileSelection>[1]): unknown {
  return compileSelection(messages, request).select?.(RECORD);
}

test('dotted names reach into every element of an array', () => {
  assert.deepEqual(select({ selectFields: ['reactions.name', 'ts'] }), {
    ts: '1',
    reactions: [{ name: 'a' }, { name: 'b' }],
  });
  assert.deepEqual(select({ excludeFields: ['reactions.users', 'edited', 'text', 'blocks'] }), {
    ts: '1',
    reactions: [
      { name: 'a', count: 1 },
      { name: 'b', count: 2 },
    ],
  });
});

test('a whole field covers its parts, in either order', () => {
  for (const names of [
    ['edited', 'edited.ts'],
    ['edited.ts', 'edited'],
  ])
    assert.deepEqual(select({ selectFields: names }), { edited: RECORD.edited });
});

test('what is null stays null, and what is missing inside stays missing', () => {
  assert.deepEqual(select({ selectFields: ['blocks.type', 'edited.nothing'] }), {
    edited: {},
    blocks: null,
  });
});

test('select wins over exclude; without names there is no selection', () => {
  assert.deepEqual(select({ selectFields: ['ts'], excludeFields: ['ts'] }), { ts: '1' });
  assert.equal(compileSelection(messages, {}).select, undefined);
  assert.equal(compileSelection(messages, { selectFields: [] }).select, undefined);
});

test('a key named __proto__ in upstream data is kept as data', () => {
  const edited: unknown = JSON.parse('{"__proto__":{"a":1},"user":"U1"}');
  const { select: cut } = compileSelection(messages, { excludeFields: ['edited.user'] });
  const kept = cut?.({ edited });
  assert.equal(JSON.stringify(kept), '{"edited":{"__proto__":{"a":1}}}');
  assert.equal(Reflect.get({}, 'a'), undefined);
});

test('names that the record has not are faults, with the nearest name', () => {
  const { faults } = compileSelection(messages, {
    selectFields: ['txt', 'reactions.nme', 'ts.x', '__proto__', 'reactions.name.x'],
    excludeFields: ['edited.', '.ts'],
  });
  assert.deepEqual(
    faults.map(({ field }) => field),
    [
      'select_fields.0',
      'select_fields.1',
      'select_fields.2',
      'select_fields.3',
      'select_fields.4',
      'exclude_fields.0',
      'exclude_fields.1',
    ],
  );
  assert.equal(faults[0]?.didYouMean, 'text');
});
