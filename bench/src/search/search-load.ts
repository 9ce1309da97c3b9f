import { randomBytes } from 'node:crypto';
import { openBenchDatabase, type BenchDatabase } from '../support/bench-database.ts';
import type { BenchOptions } from '../support/bench-options.ts';
import { startServerProcess, type ServerProcess } from '../processes/child.ts';
import { TABLE } from './hand-sql.ts';
import { pause, replicate } from '../support/replicated.ts';
import type { SampledContact } from './search-terms.ts';
import { serviceCalls, type ServiceCalls } from '../support/service-calls.ts';

const DEFAULT_ROWS = { embedded: 200_000, server: 1_000_000 } as const;
const DEFAULT_TENANTS = 1_000;
/** Contacts of a small connector. */
const SMALL_SCALE = 50;
const CREATED_AT_ONCE = 4;
const SAMPLED = 4_000;
/** Nothing listens there: connectors are paused. */
const UNREACHABLE = 'http://127.0.0.1:9';

/** What a database was loaded with, kept in it. */
interface LoadFacts {
  readonly rows: number;
  readonly tenants: number;
  readonly connectorId: string;
  readonly loadSeconds: number;
  readonly secrets: Readonly<Record<'BENCH_MASTER_KEY' | 'BENCH_CLIENT_SECRET', string>>;
}

/** A database with a large connector among many small ones, all replicated from the sandbox. */
export interface LoadedDatabase extends AsyncDisposable {
  readonly database: BenchDatabase;
  readonly facts: Omit<LoadFacts, 'secrets'>;
  /** Contacts of the large connector, the same for the same seed. */
  readonly sample: readonly SampledContact[];
  readonly seed: number;
  /** The columns that hold what hits show. */
  readonly columns: readonly string[];
  /** A new service on the database. */
  startService(): Promise<ServerProcess>;
}

/**
 * Loads a database, or takes the one that an earlier run kept under that name.
 *
 * @throws Error where there is none to be reused, or one with other numbers of rows or tenants.
 */
export async function loadDatabase(
  options: Pick<BenchOptions, 'databaseUrl' | 'rows' | 'tenants' | 'reuse' | 'keep'>,
  seed: number,
  name = 'search',
): Promise<LoadedDatabase> {
  const { databaseUrl, reuse, keep } = options;
  const kept = { name, isNew: !reuse, stays: keep || reuse };
  const database = await openBenchDatabase(databaseUrl, kept);
  const facts = reuse ? await readFacts(database, options) : await load(database, options);
  return {
    database,
    facts,
    sample: await readSample(database, facts.connectorId, seed),
    seed,
    columns: await readColumns(database),
    startService: () => startReplica(database, { ...facts.secrets, BENCH_UPSTREAM: UNREACHABLE }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function load(
  database: BenchDatabase,
  options: Pick<BenchOptions, 'databaseUrl' | 'rows' | 'tenants'>,
): Promise<LoadFacts> {
  const { databaseUrl, tenants = DEFAULT_TENANTS } = options;
  const defaultRows = databaseUrl === undefined ? DEFAULT_ROWS.embedded : DEFAULT_ROWS.server;
  const rows = options.rows ?? defaultRows;
  const secrets = {
    BENCH_MASTER_KEY: randomBytes(32).toString('hex'),
    BENCH_CLIENT_SECRET: randomBytes(32).toString('hex'),
  };
  const replicated = await replicateAll(database, { rows, tenants, secrets });
  const facts = { rows, tenants, secrets, ...replicated };
  await using statements = await database.connect();
  await statements.run('create table bench_load (facts jsonb)');
  await statements.run('insert into bench_load values ($1)', [JSON.stringify(facts)]);
  // As the database's own vacuum would, in its time.
  await statements.run('vacuum (analyze)');
  return facts;
}

async function replicateAll(
  database: BenchDatabase,
  { rows, tenants, secrets }: Pick<LoadFacts, 'rows' | 'tenants' | 'secrets'>,
): Promise<Pick<LoadFacts, 'connectorId' | 'loadSeconds'>> {
  await using upstream = await startServerProcess('tenants-process.ts', {
    BENCH_SCALE: String(rows),
    BENCH_SMALL_SCALE: String(SMALL_SCALE),
  });
  const BENCH_UPSTREAM = upstream.ready['intercom'] ?? '';
  await using replica = await startReplica(database, { ...secrets, BENCH_UPSTREAM });
  await using service = serviceCalls(replica.ready, CREATED_AT_ONCE);
  const large = await replicate(service, 'large');
  await pause(service, large.connectorId);
  console.error(`replicated the large connector in ${Math.round(large.seconds)} s`);
  await replicateSmall(service, tenants - 1);
  return { connectorId: large.connectorId, loadSeconds: large.seconds };
}

async function replicateSmall(service: ServiceCalls, count: number): Promise<void> {
  for (let made = 0; made < count; made += CREATED_AT_ONCE) {
    const group = Array.from({ length: Math.min(CREATED_AT_ONCE, count - made) }, async () => {
      const { connectorId } = await replicate(service, 'small');
      await pause(service, connectorId);
    });
    await Promise.all(group);
    if (made % 100 === 0) console.error(`replicated ${made} of ${count} small connectors`);
  }
}

function startReplica(
  database: BenchDatabase,
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  return startServerProcess('replica-process.ts', { ...database.environment, ...environment });
}

async function readFacts(
  database: BenchDatabase,
  options: Pick<BenchOptions, 'rows' | 'tenants'>,
): Promise<LoadFacts> {
  await using statements = await database.connect();
  const [row] = await statements.run('select facts from bench_load');
  // Written by `load`.
  const facts = row?.['facts'] as LoadFacts;
  for (const name of ['rows', 'tenants'] as const)
    if (options[name] !== undefined && options[name] !== facts[name])
      throw new Error(`The database that was kept has ${facts[name]} ${name}.`);
  return facts;
}

/** The columns that hold what hits show. */
export async function readColumns(database: BenchDatabase): Promise<readonly string[]> {
  await using statements = await database.connect();
  const rows = await statements.run(
    `select attname as name from pg_attribute
      where attrelid = '${TABLE}'::regclass and attnum > 0 and not attisdropped
        and attname <> all ('{terms,grams,connector_id}') order by attnum`,
  );
  return rows.map(({ name }) => String(name));
}

/** Contacts of a connector, the same for the same seed. */
export async function readSample(
  database: BenchDatabase,
  connectorId: string,
  seed: number,
): Promise<readonly SampledContact[]> {
  await using statements = await database.connect();
  const rows = await statements.run(
    `select text_email as email, text_name as name, text_phone as phone,
        int8_created_at::float8 as "createdAt",
        jsonb_custom_attributes ->> 'company' as company,
        jsonb_custom_attributes -> 'interests' ->> 0 as interest,
        jsonb_tags -> 'data' -> 0 ->> 'id' as "tagId"
      from ${TABLE}
      where connector_id = $1 and text_email is not null and text_name like '% %'
        and length(text_name) < 60
      order by md5(record_key || $2) limit ${SAMPLED}`,
    [connectorId, String(seed)],
  );
  // The columns are those of a SampledContact.
  return rows as unknown as readonly SampledContact[];
}
