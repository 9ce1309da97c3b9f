import { startServerProcess } from './processes/child.ts';
import { rounded, type BenchResult } from './support/measure.ts';

const CONTACTS = 1_000_000;

/** Node with its defaults, and with the young generation of its heap kept small. */
const SETTINGS = [
  ['node', []],
  ['node --max-semi-space-size=4', ['--max-semi-space-size=4']],
] as const;

/**
 * Iterates a million contacts with `.all()` in a process of its own, once for each of `SETTINGS`:
 * the library holds one page, but how much garbage piles up on top depends on how V8 is set.
 */
export async function benchIterate(): Promise<readonly BenchResult[]> {
  await using sandbox = await startServerProcess('sandbox-process.ts', {
    BENCH_SCALE: String(CONTACTS),
  });
  const upstream = { BENCH_UPSTREAM: sandbox.ready['intercom'] ?? '' };
  const results: BenchResult[] = [];
  for (const [setting, flags] of SETTINGS) {
    await using iteration = await startServerProcess('iterate-process.ts', upstream, flags);
    const told = (name: string) => Number(iteration.ready[name]);
    if (told('contacts') !== CONTACTS) throw new Error(`${told('contacts')} contacts came`);
    const mebibytes = (name: string) => rounded(told(name) / 2 ** 20);
    results.push(
      { name: `${setting}: resident before`, value: mebibytes('atStart'), unit: 'MiB' },
      { name: `${setting}: most resident`, value: mebibytes('mostResident'), unit: 'MiB' },
      { name: `${setting}: speed`, value: rounded(told('perSecond')), unit: 'records/s' },
    );
  }
  return results;
}
