import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessesAt } from './value-guesses.ts';

test('a name is guessed out of a list of names, and out of nothing else', () => {
  assert.ok(guessesAt('pubic', 'types', 'one of public, private').includes('public'));
  assert.ok(guessesAt('desk', 'sort', 'asc, desc').includes('desc'));
  for (const [given, allowed] of [
    ['', 'a string of 1 to 255 printable ASCII characters'],
    ['é', 'a string of 1 to 255 printable ASCII characters'],
    ['strinğ', 'a string'],
    ['integr', 'an integer from 1 to 1,000'],
  ] as const)
    for (const guess of guessesAt(given, 'idempotency_key', allowed))
      assert.notEqual(typeof guess, 'string', `${given}: ${String(guess)}`);
});
