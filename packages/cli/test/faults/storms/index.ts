import { SERVER } from '@patchbay/store/testing';
import type { FaultResult } from '../run-fault.ts';
import { nothing } from '../run-fault.ts';
import { stormOfCalls, stormOfKills, type StormOutcome, type StormSize } from './renewals.ts';

/** A run of its own, with its own services on a PostgreSQL server: a line of the table like a fault's. */
export interface Storm {
  /** In kebab-case; what `npm run test:faults -- <name>` runs. */
  readonly name: string;
  readonly doc: string;
  run(size: StormSize): Promise<StormOutcome>;
}

/** As large as a storm is unless the environment says otherwise. */
const WHOLE: StormSize = { processes: 4, callers: 250, seconds: 60, kills: 50 };

/** Every storm, after the faults in the table. */
export const STORMS: readonly Storm[] = [
  {
    name: 'renewals-under-load',
    doc: 'tokens of 5 s, many callers, a token endpoint that is slow, fails, hangs',
    run: stormOfCalls,
  },
  {
    name: 'renewals-killed',
    doc: 'tokens of 5 s, SIGKILL at random moments of renewals',
    run: stormOfKills,
  },
];

/** How large storms are: `STORM_PROCESSES`, `STORM_CALLERS`, `STORM_SECONDS`, `STORM_KILLS`. */
export function stormSize(usual: StormSize = WHOLE): StormSize {
  return {
    processes: numberOf('STORM_PROCESSES', usual.processes),
    callers: numberOf('STORM_CALLERS', usual.callers),
    seconds: numberOf('STORM_SECONDS', usual.seconds),
    kills: numberOf('STORM_KILLS', usual.kills),
  };
}

function numberOf(variable: string, usual: number): number {
  return Number(process.env[variable] ?? usual);
}

/** The line of the table. */
export async function runStorm(storm: Storm): Promise<FaultResult> {
  const line = nothing(storm, 'server');
  if (typeof SERVER.skip === 'string') return { ...line, skipped: SERVER.skip };
  const { injected, calls, findings, told } = await storm.run(stormSize());
  return {
    ...line,
    injected,
    calls,
    lost: findings.count('lost'),
    doubled: findings.count('doubled'),
    wrong: findings.count('wrong'),
    notes: [...findings.lines(), told],
  };
}
