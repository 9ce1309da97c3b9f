import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workInOrder } from './in-order.ts';

const NEEDS: Readonly<Record<string, readonly string[]>> = {
  threads: ['messages'],
  messages: ['channels'],
  channels: [],
  users: ['elsewhere'],
  teams: [],
};

function needs(name: string): readonly string[] {
  return NEEDS[name] ?? [];
}

describe('work in order', () => {
  for (const concurrency of [1, 2, 9])
    test(`all is done after what it needs, ${concurrency} at once`, async () => {
      const done: string[] = [];
      let underWay = 0;
      const results = await workInOrder({
        names: Object.keys(NEEDS),
        needs,
        concurrency,
        work: async (name) => {
          underWay += 1;
          assert.ok(underWay <= concurrency);
          for (const needed of needs(name))
            assert.ok(done.includes(needed) || needed === 'elsewhere', `${name} before ${needed}`);
          await Promise.resolve();
          underWay -= 1;
          done.push(name);
          return name.length;
        },
      });
      assert.equal(done.length, 5);
      assert.equal(results.get('threads'), 7);
    });

  test('after a failure nothing more begins, and those under way come to their end', async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const slow = Promise.withResolvers<void>();
    const working = workInOrder({
      names: ['a', 'b', 'c'],
      needs: () => [],
      concurrency: 2,
      work: async (name) => {
        begun.push(name);
        if (name === 'a') throw new Error('failed');
        await slow.promise;
        ended.push(name);
      },
    });
    slow.resolve();
    await assert.rejects(working, /failed/);
    assert.deepEqual(begun, ['a', 'b']);
    assert.deepEqual(ended, ['b']);
  });

  test('the only work failing is told', async () => {
    const working = workInOrder({
      names: ['a'],
      needs: () => [],
      concurrency: 1,
      work: () => Promise.reject(new Error('failed')),
    });
    await assert.rejects(working, /failed/);
  });

  test('names that need each other are told, not waited for', async () => {
    const working = workInOrder({
      names: ['a', 'b', 'c'],
      needs: (name) => (name === 'a' ? ['b'] : name === 'b' ? ['a'] : []),
      concurrency: 3,
      work: () => Promise.resolve(),
    });
    await assert.rejects(working, /a, b need each other/);
  });

  test('nothing to do is done', async () => {
    const results = await workInOrder({
      names: [],
      needs: () => [],
      concurrency: 1,
      work: () => Promise.resolve(),
    });
    assert.equal(results.size, 0);
  });
});
