import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SharedReads } from './shared-reads.ts';

describe('reads that are shared', () => {
  test('begin no sooner than whoever shares them asks, one at a time', async () => {
    const { reads, begun, ask } = scene();
    const first = ask();
    const [second, third] = [ask(), ask()];
    assert.equal(begun.length, 1);
    begun[0]?.resolve('one');
    assert.equal(await first, 'one');
    await settled();
    assert.equal(begun.length, 2);
    const fourth = ask();
    begun[1]?.resolve('two');
    assert.deepEqual(await Promise.all([second, third]), ['two', 'two']);
    await settled();
    begun[2]?.resolve('three');
    assert.equal(await fourth, 'three');
    await settled();
    assert.equal(await reads.read('a', () => Promise.resolve('four')), 'four');
  });

  test('that fail do so for those who share them alone', async () => {
    const { begun, ask } = scene();
    const first = ask();
    const second = ask();
    begun[0]?.reject(new Error('down'));
    await assert.rejects(first, /down/);
    await settled();
    begun[1]?.resolve('up');
    assert.equal(await second, 'up');
  });

  test('of one thing wait for none of another', async () => {
    const { reads, ask } = scene();
    void ask();
    assert.equal(await reads.read('b', () => Promise.resolve('other')), 'other');
  });
});

function scene() {
  const reads = new SharedReads<string>();
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = () =>
    reads.read('a', () => {
      const read = Promise.withResolvers<string>();
      begun.push(read);
      return read.promise;
    });
  return { reads, begun, ask };
}

/** Whatever promises lead to without anything from outside. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
