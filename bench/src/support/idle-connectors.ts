import { openStore } from '@patchbay/store';
import type { BenchDatabase, Statements } from './bench-database.ts';

/** Connectors that are made as rows, without a service. */
interface IdleConnectors {
  readonly count: number;
  readonly applications: number;
  /** When the first of them is due, and how long after that the last one; both in seconds from now. */
  readonly dueInSeconds: number;
  readonly overSeconds: number;
}

const ORGANIZATION = '00000000-0000-4000-9000-000000000000';

/** From $1 to $1 + $2 seconds from now. */
const DUE = `date_trunc('milliseconds', now() + ($1::float8 + random() * $2::float8) * interval '1 second')`;

/** The id of one of their applications. */
function applicationId(number: string): string {
  return `('00000000-0000-4000-9000-' || lpad((${number} + 1)::text, 12, '0'))::uuid`;
}

/** Whose the connector with the number n is: of several applications the first has nine tenths of all. */
function applicationOf(applications: number): string {
  const others = Math.max(1, applications - 1);
  return applicationId(
    applications === 1 ? '0' : `(case when n % 10 > 0 then 0 else 1 + n / 10 % ${others} end)`,
  );
}

/** Makes the schema, then the rows. Nobody else may have the database open. */
export async function addIdleConnectors(
  database: BenchDatabase,
  connectors: IdleConnectors,
): Promise<void> {
  await makeSchema(database);
  await using statements = await database.connect();
  await insertRows(statements, connectors);
  await statements.run('analyze');
}

/** Makes the schema, and of the rows those of the queue alone, in the place of any that are there. */
export async function fillQueue(
  database: BenchDatabase,
  { count, applications, dueInSeconds, overSeconds }: IdleConnectors,
): Promise<void> {
  await makeSchema(database);
  await using statements = await database.connect();
  await statements.run('truncate patchbay.sync_queue');
  await statements.run(
    `insert into patchbay.sync_queue (connector_id, application_id, kind, look_at)
     select gen_random_uuid(), ${applicationOf(applications)}, 'chat-workspace', ${DUE}
     from generate_series(1, $3::int) as n`,
    [dueInSeconds, overSeconds, count],
  );
  await statements.run('vacuum analyze patchbay.sync_queue');
}

async function makeSchema({ environment }: BenchDatabase): Promise<void> {
  const { BENCH_DATABASE: databaseUrl, BENCH_FOLDER: dataFolder } = environment;
  const place = databaseUrl === undefined ? { dataFolder: dataFolder ?? '' } : { databaseUrl };
  const store = await openStore(place);
  await store.close();
}

async function insertRows(statements: Statements, connectors: IdleConnectors): Promise<void> {
  const { count, applications, dueInSeconds, overSeconds } = connectors;
  await statements.run(`insert into patchbay.organizations (id, name) values ($1, 'Idle')`, [
    ORGANIZATION,
  ]);
  await statements.run(
    `insert into patchbay.applications (id, organization_id, client_id, name)
     select ${applicationId('n')}, $1, 'idle-' || n, 'Idle' from generate_series(0, $2::int - 1) as n`,
    [ORGANIZATION, applications],
  );
  await statements.run(
    `insert into patchbay.connectors (id, application_id, organization_id, external_user_id, kind, name,
       config, auth_method, sealed_credentials)
     select gen_random_uuid(), ${applicationOf(applications)}, $1, 'idle', 'chat-workspace', 'Idle ' || n, '{}', 'bot_token', 'idle'
     from generate_series(1, $2::int) as n`,
    [ORGANIZATION, count],
  );
  await statements.run(
    `insert into patchbay.connector_syncs (connector_id, application_id, due_at)
     select id, application_id, ${DUE} from patchbay.connectors where external_user_id = 'idle'`,
    [dueInSeconds, overSeconds],
  );
  await statements.run(
    `insert into patchbay.sync_queue (connector_id, application_id, kind, look_at)
     select s.connector_id, s.application_id, c.kind, s.due_at
     from patchbay.connector_syncs as s join patchbay.connectors as c on c.id = s.connector_id
     where c.external_user_id = 'idle'`,
  );
}
