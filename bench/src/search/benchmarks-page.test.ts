import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { benchmarksFiles } from './benchmarks-files.ts';
import { renderBenchmarksPage } from './benchmarks-page.ts';
import { chartOfCases, chartOfRates } from './search-charts.ts';
import type { Climb } from '../support/rate-ladder.ts';
import type { SearchResults } from './search-results.ts';

const climbOf = (heldPerSecond: number): Climb => ({
  heldPerSecond,
  steps: [heldPerSecond, 2 * heldPerSecond].map((perSecond) => ({
    perSecond,
    calls: perSecond * 20,
    p50: perSecond,
    p95: perSecond * 4,
    p99: perSecond * 9,
    failures: perSecond === heldPerSecond ? {} : { rate_limited: 7 },
    latestMs: 1,
    serviceCpuMs: 3,
    machineCpuMs: 6,
  })),
});

const RESULTS: SearchResults = {
  bench: 'search',
  database: 'embedded PGlite',
  at: '2026-11-22T10:00:00.000Z',
  machine: {
    cores: 2,
    processor: 'A processor',
    memoryGib: 16,
    node: 'v24.0.0',
    database: 'PostgreSQL 17.5',
    settings: { work_mem: '4MB' },
  },
  load: { rows: 20_000, tenants: 10, seconds: 12, seed: 1, questions: 100 },
  cases: [
    {
      name: 'eq, a name',
      calls: 200,
      p50: 1.234,
      p95: 22.25,
      p99: 345.6,
      failures: {},
      serviceCpuMs: 0.5,
      aimMs: { p50: 5, p99: 15 },
      byHand: { p50: 0.4, p95: 1, p99: 2 },
    },
    {
      name: 'keyword, a <b> & "c"',
      calls: 100,
      p50: 2,
      p95: 3,
      p99: 4,
      failures: { search_too_broad: 3 },
      serviceCpuMs: 1,
      aimMs: { p50: 5, p99: 15 },
      byHand: null,
    },
  ],
  everyday: climbOf(30),
  openLoop: climbOf(10),
  peakMegabytes: 1_009,
};

test('the page has a line for every case and every rate, and says on what machine', () => {
  const page = renderBenchmarksPage([RESULTS]);
  assert.match(page, /^\| eq, a name +\| +1.23 \| +22.3 \| +346 \| +0.40 \| +0.50 \| +\|$/m);
  assert.match(page, /^\| keyword.*\| 3 `search_too_broad` \|$/m);
  assert.match(page, /^\| 20 +\| +400 \|.*\| 7 `rate_limited` +\|$/m);
  assert.match(page, /2 cores \(A processor\), 16 GiB of memory, Node.js v24.0.0, PostgreSQL 17.5/);
  assert.match(page, /^\| 60 +\| +1,200 \|.*\| 7 `rate_limited` +\|$/m);
  assert.match(page, /\*\*30 everyday searches a second\*\*, and \*\*10 of all sorts\*\*/);
  assert.match(page, /took 1,009 MB/);
});

test('without results the page says so', () => {
  assert.match(renderBenchmarksPage([]), /There are no results yet/);
});

test('the charts name every case and every rate', () => {
  const cases = chartOfCases(RESULTS);
  assert.match(cases, />eq, a name<\/text>/);
  assert.match(cases, />keyword, a &lt;b&gt; &amp; &quot;c&quot;<\/text>/);
  const rates = chartOfRates(RESULTS, 'everyday') + chartOfRates(RESULTS, 'openLoop');
  for (const rate of [10, 20, 30, 60]) assert.match(rates, new RegExp(`>${rate}</text>`));
  assert.ok(!/NaN|undefined|Infinity/.test(cases + rates));
});

test('docs/benchmarks.md and its charts are what the results in bench/results give', async () => {
  for (const [path, text] of await benchmarksFiles())
    assert.equal(
      await readFile(new URL(`../../../docs/${path}`, import.meta.url), 'utf8'),
      text,
      `${path}: run npm run docs`,
    );
});
