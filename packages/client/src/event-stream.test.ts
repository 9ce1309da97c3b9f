import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseEvents, type ServerEvent } from './event-stream.ts';

async function* chunksOf(
  bytes: Uint8Array,
  cuts: readonly number[],
): AsyncGenerator<Uint8Array, void> {
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

async function parse(text: string, cuts: readonly number[] = []): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of parseEvents(chunksOf(new TextEncoder().encode(text), cuts)))
    events.push(event);
  return events;
}

test('events have a type, data and the last id; comments and retry times are none', async () => {
  const text = [
    ': hello\n\n',
    'retry: 1000\n\n',
    'event: progress\nid: 7\ndata: {"a":1}\n\n',
    'data:two\ndata: lines\n\n',
    'event: nothing\n\n',
    'event: end\r\nid\r\ndata: {}\r\n\r\n',
    'data: cut off',
  ].join('');
  assert.deepEqual(await parse(text), [
    { type: 'progress', lastId: '7', data: '{"a":1}' },
    { type: 'message', lastId: '7', data: 'two\nlines' },
    { type: 'end', lastId: '', data: '{}' },
  ]);
});

test('where chunks are cut does not matter, inside characters and line ends neither', async () => {
  const text = 'event: ä\r\ndata: 🧭\r\n\r\n: c\r\rdata: x\ny: z\n\ndata: é\r\n\r\n';
  const { length } = new TextEncoder().encode(text);
  const whole = await parse(text);
  assert.equal(whole.length, 3);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(length)), async (cuts) => {
      const ascending = cuts.toSorted((a, b) => a - b);
      assert.deepEqual(await parse(text, ascending), whole);
    }),
  );
});
