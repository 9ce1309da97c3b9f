import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { renderBenchmarksPage } from './benchmarks-page.ts';
import { chartOfCases, chartOfRates } from './search-charts.ts';
import { nameOf, type SearchResults } from './search-results.ts';

const RESULTS = new URL('../../results/', import.meta.url);
const DOCS = new URL('../../../docs/', import.meta.url);

/** Writes a JSON file, and the page and charts anew from all that there are. */
export async function writeResults(results: SearchResults): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const file = `${results.at.slice(0, 10)}-search-${nameOf(results)}.json`;
  await writeFile(new URL(file, RESULTS), `${JSON.stringify(results, null, 2)}\n`);
  await writeBenchmarksPage();
  console.error(`wrote bench/results/${file} and docs/benchmarks.md`);
}

/** Writes docs/benchmarks.md and its charts from the latest results on each database. */
export async function writeBenchmarksPage(): Promise<void> {
  for (const [path, text] of await benchmarksFiles()) {
    const file = new URL(path, DOCS);
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, text);
  }
}

/** The page and its charts, by their paths below `docs/`. */
export async function benchmarksFiles(): Promise<ReadonlyMap<string, string>> {
  const latest = await readLatest();
  const files = new Map([['benchmarks.md', renderBenchmarksPage(latest)]]);
  for (const results of latest) {
    const path = `benchmarks/search-${nameOf(results)}`;
    files.set(`${path}.svg`, chartOfCases(results));
    files.set(`${path}-everyday.svg`, chartOfRates(results, 'everyday'));
    files.set(`${path}-rates.svg`, chartOfRates(results, 'openLoop'));
  }
  return files;
}

/** The latest results on each database, servers first. */
async function readLatest(): Promise<readonly SearchResults[]> {
  const latest = new Map<string, SearchResults>();
  const files = await readdir(RESULTS).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  // Their names begin with their dates.
  for (const file of files.filter((name) => name.endsWith('.json')).toSorted()) {
    // Written by `writeResults`.
    const results = JSON.parse(await readFile(new URL(file, RESULTS), 'utf8')) as SearchResults;
    latest.set(nameOf(results), results);
  }
  return [...latest.values()].toSorted((a, b) => nameOf(b).localeCompare(nameOf(a)));
}
