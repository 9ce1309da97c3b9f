/** What a benchmark can be told on the command line. */
export interface BenchOptions {
  /** Records to replicate; each benchmark has a default. */
  readonly rows: number | undefined;
  /** A PostgreSQL server to make a database on; an embedded one is used unless given. */
  readonly databaseUrl: string | undefined;
  /** Small connectors beside the large one. */
  readonly tenants: number | undefined;
  /** Names of the attacks to run; all unless given. */
  readonly only: readonly string[] | undefined;
  /** How long calls are measured beside each attack. */
  readonly seconds: number | undefined;
  /** Numbers of attacks, by name, that are to differ from their defaults. */
  readonly numbers: Readonly<Record<string, number>>;
}
