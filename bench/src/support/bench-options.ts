/** What a benchmark can be told on the command line. */
export interface BenchOptions {
  /** Records to replicate; each benchmark has a default. */
  readonly rows: number | undefined;
  /** A PostgreSQL server to make a database on; an embedded one is used unless given. */
  readonly databaseUrl: string | undefined;
  /** Small connectors beside the large one. */
  readonly tenants: number | undefined;
  /** Names of the attacks, or parts of the names of searches, to run; all unless given. */
  readonly only: readonly string[] | undefined;
  /** How long calls are measured beside each attack, or at each rate. */
  readonly seconds: number | undefined;
  /** Numbers of attacks, by name, that are to differ from their defaults. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Decides what searches ask for; 1 unless given. */
  readonly seed: number | undefined;
  /** The database stays, for runs that reuse it. */
  readonly keep: boolean;
  /** The database that an earlier run kept is measured, instead of a new one. */
  readonly reuse: boolean;
  /** Attacks are made on another service on the same machine, with a database of its own. */
  readonly elsewhere: boolean;
  /** Results are written to `bench/results` and docs/benchmarks.md. */
  readonly results: boolean;
}
