import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, infiniteStream, integer, property, uint8Array } from 'fast-check';
import { AnswerEnd, emptyMessage, MessageReader } from './wire-messages.ts';

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

test('an answer is complete with its last message, however the bytes are cut', () => {
  const ready = typedMessage('Z', Buffer.from('I'));
  check(
    property(
      uint8Array({ maxLength: 40 }),
      infiniteStream(integer({ min: 1, max: 30 })),
      (body, sizes) => {
        const row = typedMessage('D', body);
        assert.equal(endOf(cut(Buffer.concat([row, ready]), sizes)).isComplete(), true);
        assert.equal(endOf(cut(row, sizes)).isComplete(), false);
      },
    ),
  );
  assert.equal(endOf([]).isComplete(), false);
});

test('of an answer that breaks off, nothing is told but what came alone', () => {
  const words = typedMessage('E', Buffer.from('SFATAL\0Mout of memory\0\0'));
  const row = typedMessage('D', Buffer.from('Mine'));
  assert.equal(endOf([words]).lastWords(), 'out of memory');
  for (const pieces of [[], [row], [row, words], [words.subarray(0, 8), words.subarray(8)]])
    assert.equal(endOf(pieces).lastWords(), 'it ended in the midst of an answer');
});

function endOf(pieces: Iterable<Buffer>): AnswerEnd {
  const end = new AnswerEnd();
  for (const piece of pieces) end.push(piece);
  return end;
}

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
