import type { Climb, RateStep } from '../support/rate-ladder.ts';
import { nameOf, type CaseResult, type SearchResults } from './search-results.ts';

/** docs/benchmarks.md: the latest results on each database. */
export function renderBenchmarksPage(all: readonly SearchResults[]): string {
  const intro = `# Benchmarks

Written by \`npm run bench -- search --results\` from \`bench/results/\`: what a search takes over HTTP, with the
sandbox's contacts replicated into one large connector beside many small ones.

- Every case asks 40 to 100 questions, whose terms a seed (\`--seed\`) draws from the data: half of the
  words are those of contacts, so that common ones come up as often as they do; the other half are those of the
  vocabulary, each as often as any other, so that most are rare. Surnames and employers follow Zipf's law.
- **One after another**: every case alone, at concurrency 1, 200 calls or 10 s, but 40 questions at least.
- **SQL by hand** is what somebody would write who knows the tables and the hashes in them, over one connection:
  without HTTP, JSON, scores, cursors, or a search for similar words (\`fuzzy\` by hand looks up the right ones).
- **At rising rates**: cases mixed, the light ones up to four times as often as the heavy ones, in the large connector.
  Calls come at their times, whether those before have been answered or not. The next rate follows while p99 is at
  most 100 ms and nothing fails. **Everyday** ones have one condition, or an order that an index has
  ([which](../bench/src/search/search-cases.ts)); those of all sorts are all but the sort without an index, which reads the
  whole copy each time.
- Service, database and load generator share the machine. Memory is the peak of a service that only searched.

## Notes on these results

- **A sort that no index has** reads the copy whole (1.9 GB, by two workers at once), 0.75 s: 300 ms would take an index, so to name
  the field in \`sortable\`, which every write then pays for.
- **A condition without an index beside a range that begins in the middle** reads the index of the range to its end, since the first
  hits by key may be anywhere in it: 1,000,000 entries at most, a fifth of what it took before, and not the 15 ms that were
  aimed at. Only an index that has keys and values together would end it sooner. The embedded database, where no statement may
  take long, walks through the copy instead: 1.4 s for \`or\` beside a range that begins late.
- **\`like\` of few characters in the middle of words**: these results are from before it was [looked through in
  windows](decisions/2026-11-27-grams-are-looked-through-in-windows.md), which
  takes 0.58 of the time for 4 characters of an e-mail address at p95, and 1.16 for 6 of a name.
- **A telephone number** of the sandbox is one word that thousands of contacts have: a try to take all as few, and then a window of
  keys. By hand, where all are fetched to find the first 20 by key, it takes longer.
- **What misses its aim** ([aims](../bench/src/search/search-cases.ts)) on PostgreSQL: by far the sort without an index, \`neq\` and
  \`or\` beside a range; a telephone number by 3 ms and a cursor behind 5,000 hits by 1; at p99 \`like\` of 6 characters of a name by
  9 ms and of 4 of an e-mail address by 59.
- **At rising rates** \`neq\` and \`or\` beside a range and that \`like\` are 8 calls in 100 of all sorts: enough to be the p99 by
  themselves, at any rate.
`;
  const none = '\nThere are no results yet.\n';
  return intro + (all.length === 0 ? none : all.map(sectionOf).join(''));
}

function sectionOf(results: SearchResults): string {
  const { database, at, machine, load, cases, everyday, openLoop, peakMegabytes } = results;
  const { rows, tenants, seed } = load;
  const file = `benchmarks/search-${nameOf(results)}`;
  const settings = Object.entries(machine.settings).map(([name, value]) => `\`${name}\` ${value}`);
  return `
## ${database}, ${number(rows)} contacts

${at.slice(0, 10)}: ${machine.cores} cores (${machine.processor}), ${machine.memoryGib} GiB of memory, Node.js ${machine.node}, ${machine.database}
(${settings.join(', ')}); ${number(tenants)} connectors, seed ${seed}. With p99 of at most 100 ms and
no failures **${everyday.heldPerSecond} everyday searches a second**, and **${openLoop.heldPerSecond} of all sorts**; the service took ${number(peakMegabytes)} MB at its peak.

### One after another

![p50 and p99 of every case](${file}.svg)

${table(
  [
    'Search',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'SQL by hand, p50 ms',
    'CPU of the service ms',
    'Failures',
  ],
  cases.map(rowOfCase),
)}

### Everyday searches at rising rates

![p50 and p99 of everyday searches over the rate](${file}-everyday.svg)

${tableOfRates(everyday)}

### Searches of all sorts at rising rates

![p50 and p99 of the mix over the rate](${file}-rates.svg)

${tableOfRates(openLoop)}
`;
}

function tableOfRates({ steps }: Climb): string {
  const heads = ['A second', 'Calls', 'p50 ms', 'p95 ms', 'p99 ms'];
  const cpu = ['CPU of the service ms', 'CPU of the machine ms'];
  return table([...heads, ...cpu, 'Failures'], steps.map(rowOfStep));
}

function rowOfCase(result: CaseResult): readonly string[] {
  const { name, p50, p95, p99, byHand, serviceCpuMs, failures } = result;
  const hand = byHand === null ? '' : number(byHand.p50);
  return [
    name,
    number(p50),
    number(p95),
    number(p99),
    hand,
    number(serviceCpuMs),
    inList(failures),
  ];
}

function rowOfStep(step: RateStep): readonly string[] {
  const numbers = [step.perSecond, step.calls, step.p50, step.p95, step.p99];
  const cpu = [step.serviceCpuMs, step.machineCpuMs];
  return [...[...numbers, ...cpu].map(number), inList(step.failures)];
}

function inList(failures: Readonly<Record<string, number>>): string {
  return Object.entries(failures)
    .map(([code, count]) => `${count} \`${code}\``)
    .join(', ');
}

/** Two digits behind the point below 10, one below 100, none above. */
function number(value: number): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A table of Markdown, its columns aligned; all but the first and the last are numbers. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(3, head.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const isNumber = (column: number) => column > 0 && column < heads.length - 1;
  const lineOf = (cells: readonly string[]) =>
    `| ${cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumber(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(' | ')} |`;
  const rule = widths.map((width, column) =>
    isNumber(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [lineOf(heads), lineOf(rule), ...rows.map(lineOf)].join('\n');
}
