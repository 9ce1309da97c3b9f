import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matches, type Filter } from '@patchbay/connectors/engine';
import type { CopyId, CopyRecord, ParentQuery } from '@patchbay/store';
import { CopiedParents } from './copied-parents.ts';

const AS_OF = new Date(1_000);
const COPY = { connectorId: 'c', kind: 'k', entity: 'replies' };

/** A record, and when it changed. */
interface Row extends CopyRecord {
  readonly changedAt: Date;
  /** By a write of ours. */
  readonly isOurs?: boolean;
}

function row(key: string, changedAt: number, values: CopyRecord['values'] = {}): Row {
  return { key, values: { id: key, ...values }, changedAt: new Date(changedAt) };
}

/** Copies of two entities in memory. */
function parentsOver(tables: Readonly<Record<string, readonly Row[]>>): CopiedParents {
  const parents = async ({ entity }: CopyId, query: ParentQuery) => {
    const { filter, after = '', changedSince, changedBefore, isRead, limit } = query;
    return (tables[entity] ?? [])
      .filter(({ key, values }) => key > after && matches(filter, values))
      .filter(({ changedAt }) => changedSince === undefined || changedAt >= changedSince)
      .filter(({ changedAt }) => changedBefore === undefined || changedAt < changedBefore)
      .filter(({ isOurs }) => isRead !== true || isOurs !== true)
      .slice(0, limit);
  };
  return new CopiedParents({
    copies: { parents },
    copy: COPY,
    selection: {
      entity: 'messages',
      filter: { operator: 'not', filter: equal('isClosed', true) },
      fields: ['id'],
      isChangedOnly: true,
      orFilter: equal('isRecent', true),
    },
    recordsOf: ({ id }) => equal('parent', id),
    asOf: AS_OF,
  });
}

function equal(field: string, value: unknown): Filter {
  return { operator: 'eq', path: { segments: [field], type: 'string' }, value };
}

describe('the parents whose lists are read', () => {
  test('are those that changed, and recent ones, in the order of their keys', async () => {
    const parents = parentsOver({
      messages: [row('a', 1), row('b', 1, { isRecent: true }), row('c', 2_000)],
      replies: [row('c1', 1, { parent: 'c' })],
    });
    const found = await parents.fetch(null);
    assert.deepEqual(
      found.map(({ key, isLost }) => [key, isLost]),
      [
        ['b', false],
        ['c', false],
      ],
    );
    assert.deepEqual(
      (await parents.fetch('b')).map(({ key }) => key),
      ['c'],
    );
  });

  test('are lost where they are out of reach since the last read', async () => {
    const isClosed = true;
    const parents = parentsOver({
      messages: [row('a', 1, { isClosed }), row('b', 2_000, { isClosed }), row('c', 2_000)],
    });
    assert.deepEqual(
      (await parents.fetch(null)).map(({ key, isLost }) => [key, isLost]),
      [
        ['b', true],
        ['c', false],
      ],
    );
  });

  test('are new where the copy has nothing of their lists, or of changed ones had nothing', async () => {
    const recent = { isRecent: true };
    const parents = parentsOver({
      messages: [
        ...['a', 'b'].map((key) => row(key, 1, recent)),
        ...['c', 'd', 'e', 'f'].map((key) => row(key, 2_000)),
      ],
      replies: [
        row('b1', 2_000, { parent: 'b' }),
        row('d1', 2_000, { parent: 'd' }),
        row('e1', 1, { parent: 'e' }),
        { ...row('f1', 1, { parent: 'f' }), isOurs: true },
      ],
    });
    const found = await parents.fetch(null);
    const areNew = await Promise.all(found.map((each) => parents.isNew(each)));
    assert.deepEqual(
      found.map(({ key }, index) => [key, areNew[index]]),
      [
        ['a', true],
        ['b', false],
        ['c', true],
        ['d', true],
        ['e', false],
        ['f', true],
      ],
    );
  });

  test('tell what the copy has of their lists', async () => {
    const replies = ['1', '2', '3'].map((key) => row(key, 1, { parent: key === '2' ? 'b' : 'a' }));
    const parents = parentsOver({ messages: [row('a', 1)], replies });
    assert.deepEqual(await parents.copiedOf({ id: 'a' }), ['1', '3']);
    assert.deepEqual(await parents.copiedOf({ id: 'a' }, '1'), ['3']);
  });
});
