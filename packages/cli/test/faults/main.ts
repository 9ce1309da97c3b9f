import { parseArgs } from 'node:util';
import { CLUSTER_SKIP } from '@patchbay/store/testing';
import { renderTable } from '../../src/output/table.ts';
import type { Fault } from './fault.ts';
import { FAULTS } from './faults/index.ts';
import { brokenRun, runFault, type FaultResult } from './run-fault.ts';
import { runStorm, STORMS, type Storm } from './storms/index.ts';
import type { DatabaseName } from './world/world-database.ts';

const DATABASES: readonly DatabaseName[] = ['embedded', 'server', 'citus'];
/** What supervisors grant before they kill. */
const SHUTDOWN_WITHIN_SECONDS = 10;
const COLUMNS = [
  'fault',
  'database',
  'injected',
  'calls',
  'lost',
  'doubled',
  'wrong',
  'longest_stall',
  'longest_healthz',
  'recovery',
  'shutdown',
  'exits',
  'verdict',
];
const USAGE = `Usage: npm run test:faults -- [fault …] [--database embedded|server|citus] [--seconds 5] [--seed 1] [--json]

Every database that is here unless said: the server's at TEST_DATABASE_URL, a Citus cluster of its own where TEST_CITUS_URL is set. Faults:
${[...new Map([...FAULTS, ...STORMS].map(({ name, doc }) => [name, `  ${name.padEnd(26)} ${doc}\n`])).values()].join('')}
Those about renewals run on the server only, and are as large as STORM_PROCESSES, STORM_CALLERS, STORM_SECONDS and STORM_KILLS say.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const chosen = { seconds: Number(values.seconds), seed: Number(values.seed) };
const databases = DATABASES.filter((name) =>
  values.database === undefined
    ? name !== 'citus' || CLUSTER_SKIP === false
    : name === values.database,
);
const unknown = positionals.filter(
  (name) => ![...FAULTS, ...STORMS].some((known) => known.name === name),
);
if (
  values.help ||
  databases.length === 0 ||
  unknown.length > 0 ||
  Number.isNaN(chosen.seconds + chosen.seed)
) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const results = await runAll(databases);
  tell(results);
  if (!results.every(isGood)) process.exitCode = 1;
}

async function runAll(on: readonly DatabaseName[]): Promise<readonly FaultResult[]> {
  const results: FaultResult[] = [];
  for (const database of on)
    for (const fault of FAULTS)
      if (fault.databases.includes(database) && isWanted(fault))
        results.push(
          await runOne(fault, database, (report) =>
            runFault(fault, { ...chosen, database, report }),
          ),
        );
  if (on.includes('server'))
    for (const storm of STORMS)
      if (isWanted(storm)) results.push(await runOne(storm, 'server', () => runStorm(storm)));
  return results;
}

function isWanted({ name }: Fault | Storm): boolean {
  return positionals.length === 0 || positionals.includes(name);
}

async function runOne(
  fault: Fault | Storm,
  database: DatabaseName,
  run: (report: (progress: string) => void) => Promise<FaultResult>,
): Promise<FaultResult> {
  const startedAt = performance.now();
  const report = (progress: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stderr.write(`${database} ${fault.name}: ${progress} (${seconds} s)\n`);
  };
  report('starting');
  const result = await run(report).catch(
    // The other faults still say what they have to say.
    (error: unknown) => brokenRun(fault, database, error),
  );
  report(verdictOf(result));
  for (const note of result.notes) process.stderr.write(`    ${note}\n`);
  return result;
}

function tell(results: readonly FaultResult[]): void {
  const rows = results.map((result) => ({
    ...result,
    longest_stall: inSeconds(result.longestStall),
    longest_healthz: inSeconds(result.longestHealth),
    recovery: inSeconds(result.recovery),
    shutdown: inSeconds(result.shutdown),
    verdict: verdictOf(result),
  }));
  const style = { width: Infinity, bold: (text: string) => text };
  process.stdout.write(renderTable(COLUMNS, rows, style).text);
  if (values.json) process.stdout.write(`${JSON.stringify({ faults: results })}\n`);
}

function inSeconds(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

function isGood({ lost, doubled, wrong, shutdown }: FaultResult): boolean {
  return lost + doubled + wrong === 0 && shutdown < SHUTDOWN_WITHIN_SECONDS;
}

function verdictOf(result: FaultResult): string {
  if (result.skipped !== undefined) return `skipped: ${result.skipped}`;
  return isGood(result) ? 'good' : 'BAD';
}
