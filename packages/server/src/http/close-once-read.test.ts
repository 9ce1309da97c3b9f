import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { closeOnceRead } from './close-once-read.ts';

test('a connection is closed in one step, however many of its requests were answered before they had come whole', () => {
  const socket = new Socket();
  for (let count = 0; count < 20_000; count++) {
    const request = new IncomingMessage(socket);
    closeOnceRead(request);
    request.complete = true;
  }
  socket.destroySoon();
  assert.equal(socket.writable, false);
});
