import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, infiniteStream, integer, property, uint8Array } from 'fast-check';
import { emptyMessage, MessageReader } from './wire-messages.ts';

test('messages come out whole, however the bytes are cut', () => {
  check(
    property(
      array(uint8Array({ maxLength: 40 }), { maxLength: 8 }),
      infiniteStream(integer({ min: 1, max: 30 })),
      (bodies, sizes) => {
        const messages = bodies.map((body) => typedMessage('Q', body));
        const reader = new MessageReader();
        const read: Buffer[] = [];
        for (const chunk of cut(Buffer.concat(messages), sizes)) {
          reader.push(chunk);
          for (let next = reader.nextTyped(); next !== undefined; next = reader.nextTyped()) {
            read.push(next);
          }
        }
        assert.deepEqual(read, messages);
      },
    ),
  );
});

test('the first message has no type', () => {
  const reader = new MessageReader();
  const start = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
  reader.push(Buffer.concat([start, emptyMessage('S')]));
  assert.deepEqual(reader.nextUntyped(), start);
  assert.deepEqual(reader.nextTyped(), emptyMessage('S'));
  assert.equal(reader.nextTyped(), undefined);
});

function typedMessage(type: string, body: Uint8Array): Buffer {
  const message = Buffer.concat([emptyMessage(type), body]);
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

function* cut(bytes: Buffer, sizes: Iterator<number>): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const size = Number(sizes.next().value);
    yield bytes.subarray(start, start + size);
    start += size;
  }
}
