import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { DEFAULT_IN_FLIGHT_LIMITS, InFlight } from './in-flight.ts';

const LIMITS = {
  largeAnswerBytes: 10,
  largeAnswerTimeoutMs: 1_000,
  answerBytesPerCaller: 100,
  answerBytesInAll: 150,
  downloadsPerConnector: 2,
};
const read = (sizeBytes: number) => ({ sizeBytes, isRepeatable: true });

function assertRefused(run: () => unknown): void {
  assert.throws(run, (error) => {
    assert.ok(isConnectorError(error, 'rate_limited'));
    assert.equal(error.details.retryAfterSeconds, 5);
    return true;
  });
}

test('a caller gets no more answers than its room, until it has taken one', () => {
  const inFlight = new InFlight(LIMITS);
  const release = inFlight.holdAnswer('one', read(60));
  inFlight.requireRoom('one');
  assertRefused(() => inFlight.holdAnswer('one', read(41)));
  inFlight.holdAnswer('one', read(40));
  assertRefused(() => inFlight.requireRoom('one'));
  release();
  release();
  inFlight.requireRoom('one');
  assertRefused(() => inFlight.holdAnswer('one', read(61)));
  inFlight.holdAnswer('one', read(60));
});

test('where all room is taken, callers with nothing under way still ask, for what is not large', () => {
  const inFlight = new InFlight(LIMITS);
  inFlight.holdAnswer('one', read(90));
  const release = inFlight.holdAnswer('two', read(60));
  assertRefused(() => inFlight.requireRoom('one'));
  assertRefused(() => inFlight.requireRoom('two'));
  inFlight.requireRoom('three');
  assertRefused(() => inFlight.holdAnswer('three', read(11)));
  release();
  inFlight.holdAnswer('three', read(11));
});

test('an answer that is alone may be larger than all room, and that of a write goes out anyway', () => {
  const inFlight = new InFlight(LIMITS);
  inFlight.holdAnswer('one', read(1_000));
  inFlight.holdAnswer('one', { sizeBytes: 1_000, isRepeatable: false });
  assertRefused(() => inFlight.requireRoom('one'));
});

test('a connector has so many downloads at once', () => {
  const inFlight = new InFlight(LIMITS);
  const release = inFlight.startDownload('a');
  inFlight.startDownload('a');
  assertRefused(() => inFlight.startDownload('a'));
  inFlight.startDownload('b');
  release();
  release();
  inFlight.startDownload('a');
  assertRefused(() => inFlight.startDownload('a'));
});

test('the largest answer that there is fits the room of a caller by default', () => {
  assert.ok(DEFAULT_IN_FLIGHT_LIMITS.answerBytesPerCaller >= 2 * 32 * 1024 * 1024);
  assert.ok(DEFAULT_IN_FLIGHT_LIMITS.answerBytesInAll <= 512 * 1024 * 1024);
});
