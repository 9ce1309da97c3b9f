import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LightReport, Measured, Operation } from './light-load.ts';
import { brokenPromises, worstRatio } from './neighbours-verdict.ts';

const PROMISED = { readMs: 500, healthMs: 250 };

interface Changes {
  readonly p99?: Partial<Record<Operation, number>>;
  readonly failures?: Measured['failures'];
  readonly health?: LightReport['health'];
  readonly lived?: boolean;
  readonly copySeconds?: number;
}

function phase({ p99 = {}, failures = {}, health, lived = true, copySeconds }: Changes = {}) {
  const measured = (operation: Operation): Measured => ({
    calls: 100,
    p50: 5,
    p99: p99[operation] ?? 20,
    failures: {},
  });
  const operations = {
    get: measured('get'),
    list: measured('list'),
    search: measured('search'),
    write: { ...measured('write'), failures },
  };
  const light = { operations, health: health ?? { longestMs: 10, failures: 0 }, latestMs: 1 };
  return { light, lived, copySeconds };
}

describe('beside an attack', () => {
  const rows: readonly (readonly [what: string, changes: Changes, broken: readonly string[]])[] = [
    ['nothing is broken while nothing changes', {}, []],
    ['a doubled p99 that nobody notices is none', { p99: { get: 50 } }, []],
    ['three times the p99 is too much', { p99: { search: 60 } }, ['search × 3.0']],
    ['reads have a bound', { p99: { list: 501 } }, ['list over 500 ms', 'list × 25.1']],
    ['writes have none, beyond doubling', { p99: { write: 501 } }, ['write × 25.1']],
    [
      'nobody fails',
      { failures: { 'HTTP 503 not_ready': 2, 'no answer in 5 s': 1 } },
      ['write failed 3 times'],
    ],
    [
      '/healthz answers soon',
      { health: { longestMs: 251, failures: 1 } },
      ['/healthz failed 1 times', '/healthz over 250 ms'],
    ],
    ['the process lives', { lived: false }, ['the process ended']],
    ['a first copy may take twice as long', { copySeconds: 8 }, []],
    ['but no longer', { copySeconds: 8.1 }, ['a first copy took 8.1 s']],
  ];
  const alone = phase({ copySeconds: 4 });
  for (const [what, changes, broken] of rows)
    test(what, () => assert.deepEqual(brokenPromises(phase(changes), alone, PROMISED), broken));

  test('a first copy that was quick alone may take some seconds', () => {
    const quick = phase({ copySeconds: 0.3 });
    assert.deepEqual(brokenPromises(phase({ copySeconds: 4 }), quick, PROMISED), []);
  });

  test('the worst ratio is that of the operation that suffers most', () => {
    assert.equal(worstRatio(phase({ p99: { get: 30, write: 80 } }), alone), 4);
  });
});
