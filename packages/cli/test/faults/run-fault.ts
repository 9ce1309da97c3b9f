import type { Fault } from './fault.ts';
import { Findings } from './findings.ts';
import { judge } from './judge.ts';
import { Load } from './load/load.ts';
import { pause } from './pause.ts';
import { seededRandom } from './random.ts';
import type { DatabaseName } from './world/world-database.ts';
import { startWorld, type World } from './world/world.ts';

export interface RunOptions {
  readonly database: DatabaseName;
  /** How long the fault lasts. */
  readonly seconds: number;
  readonly seed: number;
  readonly report: (progress: string) => void;
}

/** A line of the table; times are seconds. */
export interface FaultResult {
  readonly fault: string;
  readonly database: DatabaseName;
  /** Why it was not run; then there is nothing else. */
  readonly skipped?: string;
  /** How often the fault struck. */
  readonly injected: number;
  readonly calls: number;
  readonly lost: number;
  readonly doubled: number;
  readonly wrong: number;
  /** The longest that a call went on beyond its own deadline. */
  readonly longestStall: number;
  readonly longestHealth: number;
  /** From the end of the fault until everything works. */
  readonly recovery: number;
  /** From SIGTERM during the fault until the process was gone. */
  readonly shutdown: number;
  readonly exits: number;
  readonly notes: readonly string[];
}

const RECOVERED_WITHIN_MS = 60_000;
/** Long enough for calls to hang in the fault when the process is asked to stop. */
const BEFORE_STOP_MS = 1_500;
const STARTED_MS = 1_000;

/** Breaks a world, mends it, breaks it again, stops it broken, and holds what is left to what was said. */
export async function runFault(fault: Fault, options: RunOptions): Promise<FaultResult> {
  const { database, report, seed } = options;
  const skipped = await fault.skip?.();
  if (skipped !== undefined) return { ...nothing(fault, database), skipped };
  await using world = await startWorld(database, fault.world ?? {}, seed);
  const findings = new Findings();
  const startedAt = Date.now() / 1_000 - 1;
  const isClockSet = fault.allows?.clock === true;
  await using load = await Load.start({ world, findings, random: seededRandom(seed), isClockSet });
  const scene = { world, load, findings };
  await expectRecovery(scene, 'before the fault');
  await pause(STARTED_MS);
  report('injecting');
  const first = await fault.inject(scene);
  await pause(options.seconds * 1_000);
  const struck = await first.heal();
  report('healed');
  const recovery = await expectRecovery(scene, 'after the fault');
  const again = await fault.inject(scene);
  await pause(BEFORE_STOP_MS);
  report('stopping');
  const shutdowns = await Promise.all(world.services.map((service) => service.stop()));
  const struckAgain = await again.heal();
  await Promise.all(world.services.map((service) => service.start()));
  await expectRecovery(scene, 'after the restart');
  report('judging');
  await load.end();
  await judge({ load, sandbox: world.sandbox, findings, startedAt });
  if (world.exits.length > 0 && fault.allows?.exits !== true)
    findings.add('wrong', 'the process ended by itself');
  return {
    ...nothing(fault, database),
    ...countsOf(scene),
    injected: struck + struckAgain,
    recovery,
    shutdown: Math.max(...shutdowns),
  };
}

/** The line of a run that could not be carried through. */
export function brokenRun(
  fault: Pick<Fault, 'name'>,
  database: DatabaseName,
  error: unknown,
): FaultResult {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { ...nothing(fault, database), wrong: 1, notes: [`the run itself failed: ${reason}`] };
}

interface RunningScene {
  readonly world: World;
  readonly load: Load;
  readonly findings: Findings;
}

/** Resolves with the seconds until everything works. */
async function expectRecovery({ load, findings }: RunningScene, when: string): Promise<number> {
  const startedAt = performance.now();
  for (const name of await load.untilWorking(RECOVERED_WITHIN_MS))
    findings.add('wrong', `${name}: did not work for a minute ${when}`);
  return (performance.now() - startedAt) / 1_000;
}

function countsOf({ load, findings, world }: RunningScene) {
  const { calls, longestStallMs, longestHealthMs } = load.facts;
  return {
    calls,
    lost: findings.count('lost'),
    doubled: findings.count('doubled'),
    wrong: findings.count('wrong'),
    longestStall: longestStallMs / 1_000,
    longestHealth: longestHealthMs / 1_000,
    exits: world.exits.length,
    notes: [...findings.lines(), ...world.exits.map((exit) => `ended with ${exit}`)],
  };
}

/** The line of a run in which nothing happened. */
export function nothing({ name }: Pick<Fault, 'name'>, database: DatabaseName): FaultResult {
  return {
    fault: name,
    database,
    injected: 0,
    calls: 0,
    lost: 0,
    doubled: 0,
    wrong: 0,
    longestStall: 0,
    longestHealth: 0,
    recovery: 0,
    shutdown: 0,
    exits: 0,
    notes: [],
  };
}
