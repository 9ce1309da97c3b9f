/** A suite that looks at random, as often as there is time for. */
export interface SizedSuite {
  /** Its file, from the root. */
  readonly file: string;
  /** What it is counted in. */
  readonly unit: string;
  /** How many by default, for a person who waits, and in CI. */
  readonly short: number;
  /** How many with `TEST_SIZE=long`, as `npm run test:long` has it. */
  readonly long: number;
  /** The database that it is about, where there is a difference. */
  readonly database?: 'embedded' | 'server';
  /** A variable of the environment that says another number. */
  readonly variable?: string;
}

/** Suites that look at random, by what a person calls them. */
export const TEST_SIZES = {
  'random searches': {
    file: 'packages/store/test/copies/random-searches.test.ts',
    unit: 'sets of records',
    short: 10,
    long: 100,
    variable: 'SEARCH_SETS',
  },
  'random pages': {
    file: 'packages/store/test/copies/random-pages.test.ts',
    unit: 'sets of records',
    short: 4,
    long: 20,
    variable: 'SEARCH_SETS',
  },
  'partial searches': {
    file: 'packages/store/test/copies/partial-searches.test.ts',
    unit: 'sets of records',
    short: 4,
    long: 20,
    variable: 'SEARCH_SETS',
  },
  'kills of a worker': {
    file: 'packages/server/test/replication/kill.test.ts',
    unit: 'kills',
    database: 'embedded',
    short: 2,
    long: 4,
    variable: 'REPLICATION_KILLS',
  },
  'kills of a worker on a server': {
    file: 'packages/server/test/replication/kill.test.ts',
    unit: 'kills',
    database: 'server',
    short: 4,
    long: 50,
    variable: 'REPLICATION_KILLS',
  },
  'lost connections': {
    file: 'packages/server/test/replication/connections.test.ts',
    unit: 'losses of all connections',
    database: 'server',
    short: 15,
    long: 50,
    variable: 'REPLICATION_KILLS',
  },
  'readers of one copy': {
    file: 'packages/store/test/sync-leases.test.ts',
    unit: 'sets of readers that interleave',
    short: 10,
    long: 40,
  },
  'writes under one key': {
    file: 'packages/server/src/operations/idempotency-storm.test.ts',
    unit: 'courses of events',
    short: 1_000,
    long: 20_000,
  },
  'fuzzed bodies': {
    file: 'packages/server/test/fuzz.test.ts',
    unit: 'requests',
    short: 250,
    long: 1_000,
  },
  'series of the metrics': {
    file: 'packages/server/test/metrics.test.ts',
    unit: 'users with a connector',
    short: 100,
    long: 1_000,
  },
} as const satisfies Readonly<Record<string, SizedSuite>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** How many a suite makes in this environment. */
export function sizeOf(
  name: keyof typeof TEST_SIZES,
  environment: Environment = process.env,
): number {
  return sizeIn(TEST_SIZES[name], environment);
}

/**
 * Says which suites are smaller in this environment than they can be.
 *
 * @param files The test files of a run, from the root; no others are told of.
 * @returns A line for each, such as `shortened random searches: 10 of 100 sets of records (…)`.
 */
export function shortenedSuites(
  files: ReadonlySet<string>,
  environment: Environment = process.env,
): readonly string[] {
  return Object.entries<SizedSuite>(TEST_SIZES).flatMap(([name, suite]) => {
    const size = sizeIn(suite, environment);
    const isElsewhere = suite.database !== undefined && suite.database !== databaseOf(environment);
    if (!files.has(suite.file) || isElsewhere || size >= suite.long) return [];
    return [
      `shortened ${name}: ${size} of ${suite.long} ${suite.unit} (npm run test:long makes all)`,
    ];
  });
}

function databaseOf(environment: Environment): SizedSuite['database'] {
  return environment['TEST_DATABASE'] === undefined ? 'embedded' : 'server';
}

function sizeIn({ variable, short, long }: SizedSuite, environment: Environment): number {
  const asked = variable === undefined ? undefined : environment[variable];
  if (asked !== undefined) return Number(asked);
  return environment['TEST_SIZE'] === 'long' ? long : short;
}
