import type { BenchOptions } from './support/bench-options.ts';
import { costOfIdleConnectors } from './capacity/idle-connector-cost.ts';
import type { BenchResult } from './support/measure.ts';
import { costOfQuietSyncs } from './capacity/quiet-syncs.ts';
import { costOfStoredRecords } from './capacity/stored-records.ts';

/** What something costs; each part is measured by itself, on databases of its own. */
const PARTS: Readonly<Record<string, (options: BenchOptions) => Promise<readonly BenchResult[]>>> =
  {
    'stored records': costOfStoredRecords,
    'quiet syncs': costOfQuietSyncs,
    'idle connectors': costOfIdleConnectors,
  };

/** Runs the parts with that in their names, or all. */
export async function benchCapacity(options: BenchOptions): Promise<readonly BenchResult[]> {
  const wanted = Object.entries(PARTS).filter(
    ([name]) => options.only === undefined || options.only.some((part) => name.includes(part)),
  );
  const results: BenchResult[] = [];
  for (const [, measure] of wanted) results.push(...(await measure(options)));
  return results;
}
