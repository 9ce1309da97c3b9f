import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { Meters } from '../src/metrics/meters.ts';
import { METRICS } from '../src/metrics/metric-table.ts';
import { processMetrics } from '../src/metrics/process-metrics.ts';

const DOCUMENT = new URL('../../../docs/operations.md', import.meta.url);

describe('docs/operations.md', async () => {
  const document = await readFile(DOCUMENT, 'utf8');
  const [, section = ''] = document.split(/^## Metrics$/m);
  const [metrics = ''] = section.split(/^## /m);
  const [, queries = ''] = /^```promql\n(.*?)^```$/ms.exec(metrics) ?? [];
  const registries = [new Meters().registry, processMetrics()];
  const known = (await Promise.all(registries.map((each) => each.getMetricsAsJSON()))).flat();

  test('has a row for each metric of the registry, with its type, labels and sentence', () => {
    const rows = [...metrics.matchAll(/^\| `(patchbay_\w+)` *\|(.*)\|$/gm)].map(
      ([, name = '', cells = '']) => [name, ...cells.split('|').map((cell) => cell.trim())],
    );
    const expected = Object.entries(METRICS).map(([name, { type, help, labels }]) => [
      name,
      type,
      labels.map((label) => `\`${label}\``).join(', ') || '–',
      help,
    ]);
    assert.deepEqual(rows, expected);
  });

  test('names no metric that is not there, above all in what to alert on', () => {
    assert.ok(named(queries).length >= 10, 'there is something to alert on');
    // Files are counted where the system shows them.
    const names = new Set([...known.map(({ name }) => name), 'process_open_fds']);
    const histograms = known.filter(({ type }) => String(type) === 'histogram');
    for (const { name } of histograms)
      for (const suffix of ['bucket', 'sum', 'count']) names.add(`${name}_${suffix}`);
    assert.deepEqual(
      named(metrics).filter((name) => !names.has(name)),
      [],
    );
  });

  test('asks of metrics for labels that they have', () => {
    const matches = [...metrics.matchAll(/\b(patchbay_\w+?)(?:_bucket)?\{(.*?)\}/g)];
    assert.ok(matches.length >= 4);
    for (const [, name = '', selector = ''] of matches) {
      const row = Object.entries(METRICS).find(([each]) => each === name)?.[1];
      for (const [, label = ''] of selector.matchAll(/(\w+)[=!]~?"/g))
        assert.ok(
          row?.labels.some((each) => each === label),
          `${name} has no ${label}`,
        );
    }
  });

  test('takes what every process tells of the database from one of them', () => {
    const [told = ''] =
      /^- .* are the database's, the same from every process/m.exec(metrics) ?? [];
    assert.ok(named(told).length >= 5);
    const sums = named(told).map(
      (name) => new RegExp(`sum(?: by \\([^)]*\\))? ?\\((?:\\w+\\()?${name}`),
    );
    assert.deepEqual(
      queries.split('\n').filter((query) => sums.some((sum) => sum.test(query))),
      [],
    );
  });

  test('leaves streams and files, which last as long as somebody reads, out of the time of calls', () => {
    const asked = queries.match(/\bpatchbay_call_duration_seconds_bucket\b[^[]*/g) ?? [];
    assert.equal(asked.length, 1);
    for (const selector of asked) {
      assert.match(selector, /route!~"\.\*\/events"/);
      assert.match(selector, /action!="download"/);
    }
  });

  test('notices the first error of an operation, with which a series begins', () => {
    const internal = 'patchbay_calls_total{code="internal"}';
    assert.ok(queries.includes(`${internal} unless ${internal} offset 5m`));
  });
});

/** The metrics that a text names. */
function named(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:patchbay|nodejs|process)(?:_[a-z0-9]+)+\b/g)].map(
    ([name]) => name,
  );
}
