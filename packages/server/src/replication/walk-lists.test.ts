import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, isConnectorError, type ErrorCode } from '@patchbay/connectors';
import type { ReadPage } from '@patchbay/connectors/engine';
import type { CopiedParent } from './copied-parents.ts';
import { LargePages } from './large-pages.ts';
import { BEGINNING, type ReadPosition } from './read-position.ts';
import { isTurnOver, StoppedError } from './stopped.ts';
import { walkLists, type ListWalk, type ReadStep } from './walk-lists.ts';

const ASKED_AT = new Date(1_000);

/** Lists by parent ('' without parents): each an array of pages, each an array of keys. */
type Lists = Readonly<Record<string, readonly (readonly string[])[]>>;

/** A walk over such lists; `trouble` may spoil a page. */
function walkOver(
  lists: Lists,
  options: {
    readonly from?: ReadPosition;
    readonly trouble?: (parent: string, page: number) => ReadPage | undefined;
    readonly requireTime?: () => void;
    /** A parent that is out of reach. */
    readonly lost?: string;
    /** What the copy has of the lists of parents. */
    readonly copied?: Readonly<Record<string, readonly string[]>>;
  } = {},
): ListWalk {
  const keys = Object.keys(lists).toSorted();
  const fetch = async (after: string | null) =>
    keys
      .filter((key) => after === null || key > after)
      .slice(0, 2)
      .map((key) => ({ key, values: { id: key }, isLost: options.lost === key }));
  // Two at once, of those that are in the copy still: what is deleted is that only once it is committed.
  const copiedOf = async ({ id }: Readonly<Record<string, unknown>>, after = '') =>
    (options.copied?.[String(id)] ?? []).filter((key) => key > after).slice(0, 2);
  return {
    from: options.from ?? BEGINNING,
    parents: keys.includes('') ? undefined : { fetch, isNew: async () => false, copiedOf },
    read: {
      readPage: async ({ parent, position }) => {
        const list = parent === undefined ? '' : String(parent['id']);
        const index = typeof position === 'number' ? position : 0;
        const spoilt = options.trouble?.(list, index);
        if (spoilt !== undefined) return spoilt;
        const pages = lists[list] ?? [];
        const records = (pages[index] ?? []).map((key) => ({ key, values: {} }));
        return { records, next: index + 1 < pages.length ? index + 1 : null };
      },
    },
    pages: new LargePages().of({ id: 'c', applicationId: 'a' }),
    caller: 'test',
    signal: new AbortController().signal,
    turn: {
      answered: (answer) => answer,
      ready: async () => undefined,
      requireTime: options.requireTime ?? (() => undefined),
      rest: async () => true,
    },
    patience: {
      limits: {},
      outlasts: async (error) => isConnectorError(error, 'upstream_timeout'),
      recover: () => undefined,
      resume: async () => undefined,
    },
    databaseAt: () => ASKED_AT,
    tellTrouble: async () => undefined,
  };
}

/** A walk over one list, of which no page but the first can be asked for by another walk. */
function scrollOver(
  pages: readonly (readonly string[])[],
  options: Parameters<typeof walkOver>[1],
) {
  const walk = walkOver({ '': pages }, options);
  const readPage: ListWalk['read']['readPage'] = async (at) => {
    const page = await walk.read.readPage(at);
    return page.next === null ? page : { ...page, resumeAt: 0 };
  };
  return { ...walk, read: { readPage } };
}

async function collect(walk: ListWalk): Promise<{ steps: ReadStep[]; error: unknown }> {
  const steps: ReadStep[] = [];
  try {
    for await (const step of walkLists(walk)) steps.push(step);
    return { steps, error: undefined };
  } catch (error) {
    return { steps, error };
  }
}

function endTurn(): never {
  throw new StoppedError('turn_over');
}

function keysOf(steps: readonly ReadStep[]): readonly string[] {
  return steps.flatMap(({ records }) => records.map(({ key }) => key));
}

/** Throws on the first `times` reads of one page. */
function failing(code: ErrorCode, at: { parent: string; page: number; times: number }) {
  let left = at.times;
  return (parent: string, page: number): undefined => {
    if (parent !== at.parent || page !== at.page || left === 0) return;
    left -= 1;
    throw new ConnectorError(code, {});
  };
}

function refusing(...parents: readonly string[]) {
  return (parent: string): ReadPage | undefined =>
    parents.includes(parent) ? { records: [], next: null, isRefused: true } : undefined;
}

function deletedIn(steps: readonly ReadStep[]): readonly string[] {
  return steps.flatMap(({ deletedKeys }) => deletedKeys);
}

function refuseFirst(parent: string): ReadPage | undefined {
  return parent === 'k1' ? { records: [], next: null, isRefused: true } : undefined;
}

function flagsOf({ position: { hasRead, hasRefused } }: ReadStep) {
  return { hasRead, hasRefused };
}

const PEOPLE: Lists = { '': [['a', 'b'], [], ['c']] };
const REPLIES: Lists = {
  k1: [['1a'], ['1b']],
  k2: [['2a']],
  k3: [[]],
  k4: [['4a'], ['4b'], ['4c']],
};

describe('walking the lists of an entity', () => {
  test('a single list is read page by page to its end', async () => {
    const { steps } = await collect(walkOver(PEOPLE));
    assert.deepEqual(keysOf(steps), ['a', 'b', 'c']);
    assert.equal(steps.length, 3);
  });

  test('the list of every parent is read, in the order of their keys', async () => {
    const { steps } = await collect(walkOver(REPLIES));
    assert.deepEqual(keysOf(steps), ['1a', '1b', '2a', '4a', '4b', '4c']);
  });

  for (const lists of [PEOPLE, REPLIES])
    test(`a walk over ${Object.keys(lists).length} lists goes on from any of its positions`, async () => {
      const { steps } = await collect(walkOver(lists));
      for (const [index, { position }] of steps.entries()) {
        // As it comes from the database.
        const from = JSON.parse(JSON.stringify(position)) as ReadPosition;
        const rest = await collect(walkOver(lists, { from }));
        assert.deepEqual(keysOf(rest.steps), keysOf(steps.slice(index + 1)), `after ${index}`);
      }
    });

  test('what has gone with its parent leaves no doubt of what may be read', async () => {
    const gone: ReadPage = { records: [], next: null, isRefused: true, isGone: true };
    const trouble = (parent: string, page: number) =>
      parent === 'k3' || (parent === 'k4' && page === 1) ? gone : undefined;
    const { steps, error } = await collect(walkOver(REPLIES, { trouble }));
    assert.equal(error, undefined);
    assert.deepEqual(keysOf(steps), ['1a', '1b', '2a', '4a']);
    const { hasRead, hasRefused, isInDoubt } = steps.at(-1)?.position ?? BEGINNING;
    assert.deepEqual(
      { hasRead, hasRefused, isInDoubt },
      { hasRead: true, hasRefused: true, isInDoubt: false },
    );
  });

  for (const isTurnOverThen of [false, true])
    test(`what an upstream hid at the end of a list is read once it shows it${isTurnOverThen ? ', in a later turn' : ''}`, async () => {
      let now = ASKED_AT.getTime();
      const rests: number[] = [];
      const isOver = isTurnOverThen;
      const walk = walkOver(PEOPLE, {
        requireTime: () => {
          if (isOver && now > ASKED_AT.getTime()) endTurn();
        },
      });
      // The page after the last one of the list is what was hidden.
      const readPage: ListWalk['read']['readPage'] = async (at, options) => {
        now += 1_000;
        return at.position === 'hidden'
          ? { records: [{ key: 'd', values: {} }], next: null }
          : walk.read.readPage(at, options);
      };
      const asked: Date[] = [];
      const hiding: ListWalk = {
        ...walk,
        read: {
          readPage,
          hidden: {
            forMs: 60_000,
            positionAfter: (askedAt) => {
              asked.push(askedAt);
              return 'hidden';
            },
          },
        },
        turn: {
          ...walk.turn,
          rest: async (ms) => {
            rests.push(ms);
            now += ms;
            return true;
          },
        },
        databaseAt: () => new Date(now),
      };
      const keys: string[] = [];
      let from = BEGINNING;
      for (let turn = 0; turn < 5; turn++) {
        const { steps, error } = await collect({ ...hiding, from });
        keys.push(...keysOf(steps));
        from = JSON.parse(JSON.stringify(steps.at(-1)?.position)) as ReadPosition;
        if (error === undefined) break;
        assert.ok(isTurnOver(error));
        now += 500;
      }
      assert.deepEqual(keys, ['a', 'b', 'c', 'd']);
      assert.ok(from.isAtEnd);
      // The third page was asked for a second before it came.
      const [askedAt] = asked;
      assert.ok(askedAt !== undefined && asked.length === 1);
      assert.ok(askedAt < new Date(now));
      assert.equal(rests.length, 1);
      assert.ok((rests[0] ?? 0) > 60_000 && (rests[0] ?? 0) <= 65_000);
    });

  test('a parent that came meanwhile has its turn before the one that was begun', async () => {
    const from = { ...BEGINNING, after: 'k1', parent: 'k4', list: 2 };
    const { steps } = await collect(walkOver(REPLIES, { from }));
    assert.deepEqual(keysOf(steps), ['2a', '4a', '4b', '4c']);
  });

  test('a cursor that has expired begins its list anew, once', async () => {
    const once = failing('invalid_cursor', { parent: 'k4', page: 2, times: 1 });
    const { steps, error } = await collect(walkOver(REPLIES, { trouble: once }));
    assert.equal(error, undefined);
    assert.deepEqual(keysOf(steps).slice(-5), ['4a', '4b', '4a', '4b', '4c']);
  });

  test('a page is asked for again for as long as patience lasts', async () => {
    const trouble = failing('upstream_timeout', { parent: 'k4', page: 1, times: 3 });
    const { steps, error } = await collect(walkOver(REPLIES, { trouble }));
    assert.equal(error, undefined);
    assert.deepEqual(keysOf(steps).slice(-3), ['4a', '4b', '4c']);
  });

  for (const code of ['invalid_cursor', 'upstream_contract_broken'] as const)
    test(`the next read begins the list of ${code} anew, and no other`, async () => {
      const always = failing(code, { parent: 'k4', page: 2, times: 9 });
      const { steps, error } = await collect(walkOver(REPLIES, { trouble: always }));
      assert.ok(error instanceof ConnectorError && error.code === code);
      const from = steps.at(-1)?.position;
      assert.ok(from !== undefined);
      const { after, parent, list } = from;
      assert.deepEqual({ after, parent, list }, { after: 'k3', parent: 'k4', list: null });
      const again = await collect(walkOver(REPLIES, { from }));
      assert.deepEqual(keysOf(again.steps), ['4a', '4b', '4c']);
    });

  test('any other error leaves the position at the page it came for', async () => {
    const trouble = failing('upstream_unavailable', { parent: 'k4', page: 1, times: 1 });
    const { steps, error } = await collect(walkOver(REPLIES, { trouble }));
    assert.ok(error instanceof ConnectorError);
    assert.equal(steps.at(-1)?.position.list, 1);
  });

  for (const code of ['upstream_timeout', 'invalid_cursor'] as const)
    test(`after ${code} a list that cannot be left where it is begins anew`, async () => {
      const trouble = failing(code, { parent: '', page: 2, times: 2 });
      const { steps, error } = await collect(scrollOver([['a'], ['b'], ['c']], { trouble }));
      assert.equal(error, undefined);
      assert.deepEqual(keysOf(steps), ['a', 'b', 'a', 'b', 'a', 'b', 'c']);
      assert.ok(steps.at(-1)?.position.isAtEnd);
    });

  test('it begins anew a few times; then the next walk does', async () => {
    const trouble = failing('upstream_timeout', { parent: '', page: 1, times: 99 });
    const { steps, error } = await collect(scrollOver([['a'], ['b']], { trouble }));
    assert.ok(isConnectorError(error, 'upstream_timeout'));
    assert.deepEqual(keysOf(steps), ['a', 'a', 'a', 'a', 'a']);
  });

  test('wherever it is left, another walk begins it anew', async () => {
    const pages = [['a'], ['b'], ['c']];
    const { steps } = await collect(scrollOver(pages, {}));
    for (const { position: from } of steps.slice(0, -1)) {
      const again = await collect(scrollOver(pages, { from }));
      assert.deepEqual(keysOf(again.steps), ['a', 'b', 'c']);
    }
    const ended = await collect(scrollOver(pages, { from: steps.at(-1)?.position ?? BEGINNING }));
    assert.deepEqual(ended.steps, []);
  });

  test('it keeps its turn to the end', async () => {
    const walk = scrollOver([['a'], ['b'], ['c']], { requireTime: endTurn });
    const { steps, error } = await collect(walk);
    assert.equal(error, undefined);
    assert.deepEqual(keysOf(steps), ['a', 'b', 'c']);
  });

  test('trouble that does not pass ends it at once', async () => {
    const trouble = failing('upstream_forbidden', { parent: '', page: 1, times: 1 });
    const { steps, error } = await collect(scrollOver([['a'], ['b']], { trouble }));
    assert.ok(isConnectorError(error, 'upstream_forbidden'));
    assert.deepEqual(keysOf(steps), ['a']);
  });

  test('the list of a parent that is gone counts as read', async () => {
    const trouble = failing('record_not_found', { parent: 'k1', page: 0, times: 1 });
    const { steps, error } = await collect(walkOver(REPLIES, { trouble }));
    assert.equal(error, undefined);
    assert.deepEqual(keysOf(steps), ['2a', '4a', '4b', '4c']);
  });

  test('without a parent a record that is not found is an error', async () => {
    const trouble = failing('record_not_found', { parent: '', page: 0, times: 1 });
    assert.ok((await collect(walkOver(PEOPLE, { trouble }))).error instanceof ConnectorError);
  });

  test('a list that is forbidden counts as refused, whether others were read before or are after', async () => {
    for (const parent of ['k1', 'k4']) {
      const trouble = failing('upstream_forbidden', { parent, page: 0, times: 1 });
      const { steps, error } = await collect(walkOver(REPLIES, { trouble }));
      assert.equal(error, undefined);
      const others = Object.entries(REPLIES).filter(([key]) => key !== parent);
      assert.deepEqual(
        keysOf(steps),
        others.flatMap(([, pages]) => pages.flat()),
      );
      assert.equal(steps.at(-1)?.position.forbidden, 1);
    }
  });

  test('where list after list is forbidden, the entity is', async () => {
    const lists = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`k${String(index).padStart(2, '0')}`, [['a']]]),
    );
    let asked = 0;
    const trouble = (): never => {
      asked += 1;
      throw new ConnectorError('upstream_forbidden', {});
    };
    const { error } = await collect(walkOver(lists, { trouble }));
    assert.ok(isConnectorError(error, 'upstream_forbidden'));
    assert.equal(asked, 21);
  });

  test('without a parent a list that is forbidden is an error', async () => {
    const trouble = failing('upstream_forbidden', { parent: '', page: 0, times: 1 });
    const { error } = await collect(walkOver(PEOPLE, { trouble }));
    assert.ok(isConnectorError(error, 'upstream_forbidden'));
  });

  test('the position tells whether lists were read or refused', async () => {
    const { steps } = await collect(walkOver(REPLIES, { trouble: refuseFirst }));
    assert.deepEqual(steps.slice(0, 2).map(flagsOf), [
      { hasRead: false, hasRefused: true },
      { hasRead: true, hasRefused: true },
    ]);
  });

  describe('what the copy has of a list that cannot be read any more', () => {
    const copied = { k1: ['1a', '1b', '1c'], k2: ['2a'], k4: ['4a'] };

    test('leaves it where its parent is out of reach, unasked', async () => {
      const asked: string[] = [];
      const trouble = (parent: string) => void asked.push(parent);
      const walk = walkOver(REPLIES, { lost: 'k1', copied, trouble });
      const { steps } = await collect(walk);
      assert.deepEqual(deletedIn(steps), ['1a', '1b', '1c']);
      assert.ok(!asked.includes('k1'));
      assert.deepEqual(keysOf(steps), ['2a', '4a', '4b', '4c']);
    });

    test('leaves it where it was refused, once another can be read', async () => {
      const { steps } = await collect(walkOver(REPLIES, { copied, trouble: refusing('k1', 'k2') }));
      const deleting = steps.findIndex(({ deletedKeys }) => deletedKeys.length > 0);
      assert.deepEqual(deletedIn(steps), ['1a', '1b', '1c', '2a']);
      assert.ok(deleting > 1);
      assert.equal(steps[deleting]?.position.after, 'k2');
      assert.deepEqual(steps.at(-1)?.position.refused, []);
    });

    test('stays while nobody knows whether any can be read', async () => {
      const trouble = refusing('k2', 'k3', 'k4');
      let isGone = false;
      const walk = walkOver(REPLIES, {
        copied,
        trouble: (parent) => trouble(parent) ?? (isGone ? refusing('k1')(parent) : undefined),
      });
      const all = await collect(walk);
      assert.deepEqual(deletedIn(all.steps), ['2a', '4a']);
      assert.equal(all.steps.at(-1)?.position.isInDoubt, false);
      // The right has gone in the middle: the list that was read first is refused as well by now.
      isGone = false;
      const lost: ReadStep[] = [];
      for await (const step of walkLists(walk)) {
        lost.push(step);
        isGone ||= step.position.after === 'k1';
      }
      assert.deepEqual(deletedIn(lost), []);
      const { isInDoubt, refused } = lost.at(-1)?.position ?? BEGINNING;
      assert.deepEqual([isInDoubt, refused], [true, [{ id: 'k2' }, { id: 'k4' }]]);
    });

    test('stays where a list is refused in its middle: the next read begins it anew, as a whole', async () => {
      const { steps, error } = await collect(
        walkOver(REPLIES, {
          copied,
          trouble: (parent, page) => (page === 1 ? refusing('k4')(parent) : undefined),
        }),
      );
      assert.ok(isConnectorError(error, 'upstream_unavailable'));
      assert.deepEqual(deletedIn(steps), []);
      const from = steps.at(-1)?.position ?? BEGINNING;
      assert.deepEqual([from.parent, from.list, from.whole], ['k4', null, ['k4']]);
      const next = await collect(walkOver(REPLIES, { from }));
      assert.deepEqual(keysOf(next.steps), ['4a', '4b', '4c']);
    });

    test('makes no difference to a new list, which stays one until it has been read to its end', async () => {
      let isInterrupted = true;
      const asked: unknown[] = [];
      // What has been committed of it makes it a known one.
      const isNew = new Set(['k4']);
      const walk = walkOver(REPLIES, {
        trouble: (parent, page) => {
          if (parent !== 'k4' || page !== 1 || !isInterrupted) return undefined;
          isNew.clear();
          throw new ConnectorError('upstream_unavailable', {});
        },
      });
      const parents = walk.parents && {
        ...walk.parents,
        isNew: async ({ values }: CopiedParent) => isNew.has(String(values['id'])),
      };
      const readPage: ListWalk['read']['readPage'] = async (at) => {
        asked.push([at.parent?.['id'], at.position, at.isNew]);
        return await walk.read.readPage(at);
      };
      const { steps } = await collect({ ...walk, parents, read: { readPage } });
      const from = steps.at(-1)?.position ?? BEGINNING;
      isInterrupted = false;
      asked.length = 0;
      // As where the cursor is taken no more, or another parent has come between.
      const anew = { ...from, list: null };
      const rest = await collect({ ...walk, from: anew, parents, read: { readPage } });
      assert.deepEqual(asked[0], ['k4', null, true]);
      assert.deepEqual(rest.steps.at(-1)?.position.whole, []);
    });

    test('stays where the list that could be read has gone since', async () => {
      let isGone = false;
      const trouble = (parent: string) => {
        if (parent !== 'k1') return refusing('k2', 'k3', 'k4')(parent);
        if (isGone) throw new ConnectorError('record_not_found', {});
        return undefined;
      };
      const steps: ReadStep[] = [];
      for await (const step of walkLists(walkOver(REPLIES, { copied, trouble }))) {
        steps.push(step);
        isGone ||= step.position.after === 'k1';
      }
      assert.deepEqual(deletedIn(steps), []);
      const { isInDoubt, refused } = steps.at(-1)?.position ?? BEGINNING;
      assert.deepEqual([isInDoubt, refused], [false, []]);
    });

    test('is asked about within the bounds of any page', async () => {
      const walk = walkOver(REPLIES, { copied, trouble: refusing('k2', 'k3', 'k4') });
      const asked: unknown[] = [];
      const readPage: ListWalk['read']['readPage'] = (place, options) => {
        asked.push([place.parent?.['id'], typeof options?.onBytes]);
        return walk.read.readPage(place, options);
      };
      await collect({ ...walk, read: { readPage } });
      // At the end once more the one that could be read.
      const lists = ['k1', 'k1', 'k2', 'k3', 'k4', 'k1'];
      assert.deepEqual(
        asked,
        lists.map((list) => [list, 'function']),
      );
    });

    test('makes a new list of one that is back before all of it has been deleted', async () => {
      const { steps } = await collect(walkOver(REPLIES, { lost: 'k1', copied }));
      const [first] = steps;
      assert.deepEqual(first?.deletedKeys, ['1a', '1b']);
      const asked: unknown[] = [];
      const walk = walkOver(REPLIES, { from: first.position });
      const readPage: ListWalk['read']['readPage'] = async (at) => {
        asked.push([at.parent?.['id'], at.isNew]);
        return await walk.read.readPage(at);
      };
      await collect({ ...walk, read: { readPage } });
      assert.deepEqual(asked.slice(0, 3), [
        ['k1', true],
        ['k1', true],
        ['k2', false],
      ]);
    });

    test('is deleted anew by a walk that goes on in between', async () => {
      const options = { copied, trouble: refusing('k1', 'k2') };
      const { steps } = await collect(walkOver(REPLIES, options));
      for (const [index, { position }] of steps.entries()) {
        const from = JSON.parse(JSON.stringify(position)) as ReadPosition;
        const rest = await collect(walkOver(REPLIES, { ...options, from }));
        const done = [...deletedIn(steps.slice(0, index + 1)), ...deletedIn(rest.steps)];
        assert.deepEqual(new Set(done), new Set(deletedIn(steps)), `after ${index}`);
      }
    });
  });

  test('a turn that is over ends between two pages, never before the first', async () => {
    for (const lists of [{ '': [['a'], ['b']] }, { p: [['a']], q: [['b']] }]) {
      const read: string[] = [];
      let from = BEGINNING;
      for (let turns = 0; turns < 3; turns++) {
        const { steps, error } = await collect(walkOver(lists, { from, requireTime: endTurn }));
        assert.ok(error === undefined || isTurnOver(error));
        read.push(...keysOf(steps));
        from = steps.at(-1)?.position ?? from;
      }
      assert.deepEqual(read, ['a', 'b']);
    }
  });
});
