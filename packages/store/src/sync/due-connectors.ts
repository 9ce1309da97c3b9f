import { sql, type RawBuilder } from 'kysely';
import { planned, plannedTransaction } from '../copies/planned.ts';
import type { Database } from '../database.ts';
import type { DueConnector } from '../contract/syncs.ts';

/** What is due the longest is looked at whosesoever it is; so many of what somebody asked for, and of the rest. */
const FIRST_OF_ALL = 500;

/** Where there are more, so many applications are looked at beside theirs. */
const APPLICATIONS_AT_ONCE = 100;

/** The least that is read of each application. */
const LEAST_OF_EACH = 4;

/** Before every application. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

/** What every index of the queue leaves out. */
const IS_QUEUED = sql`not is_clearing and look_at is not null`;

interface Wanted {
  readonly limit: number;
  /** Connectors that are left out. */
  readonly except: readonly string[];
}

type DueRow = DueConnector & { readonly isAll: boolean };

/**
 * Looks into the queue for what is due, and remembers which applications come next. However many connectors there
 * are, or are due, a look reads a bounded number of rows, each through an index.
 */
export class DueConnectors {
  readonly #database: Database;
  /** The application after which the next look begins. */
  #after = BEGINNING;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Of each application the one that is first, then of each the second. */
  async list(limit: number, except: readonly string[] = []): Promise<readonly DueConnector[]> {
    const wanted = { limit, except };
    const first = await listFirst(this.#database, wanted);
    const rows = first.every(({ isAll }) => isAll) ? first : await this.#listOfEach(wanted);
    return rows.map(({ connectorId, applicationId, kind, isUrgent }) => ({
      connectorId,
      applicationId,
      kind,
      isUrgent,
    }));
  }

  async #listOfEach(wanted: Wanted): Promise<readonly DueConnector[]> {
    return await plannedTransaction(this.#database, 'walk', async (transaction) => {
      const first = await listFirstApplications(transaction, wanted);
      const next = await listNextApplications(transaction, this.#after);
      this.#after = next[APPLICATIONS_AT_ONCE - 1] ?? BEGINNING;
      const applications = [...new Set([...first, ...next])];
      const ofEach = Math.max(LEAST_OF_EACH, Math.ceil((2 * wanted.limit) / applications.length));
      const found = await listOf(transaction, { applications, ofEach, wanted });
      if (found.length >= wanted.limit) return found;
      // Few have anything due, and of those there may be more.
      const having = [...new Set(found.map(({ applicationId }) => applicationId))];
      return await listOf(transaction, { applications: having, ofEach: wanted.limit, wanted });
    });
  }
}

/** Those that are due the longest, of all applications. */
function firstOfAll({ except }: Wanted): RawBuilder<unknown> {
  const due = (condition: RawBuilder<unknown>) => sql`
    select * from patchbay.sync_queue
    where ${condition} and ${IS_QUEUED} and look_at <= now() and ${isNoneOf(except)}
    order by look_at limit ${FIRST_OF_ALL}
  `;
  return sql`(${due(sql`is_urgent`)}) union all (${due(sql`not is_urgent`)})`;
}

function isNoneOf(connectorIds: readonly string[]): RawBuilder<unknown> {
  return sql`connector_id <> all(${connectorIds}::uuid[])`;
}

/** Of those, some of each application; `isAll` says whether no others are due. */
async function listFirst(database: Database, wanted: Wanted): Promise<readonly DueRow[]> {
  const { rows } = await planned(
    { database, keepsPlans: false },
    'walk',
    sql<DueRow>`
      with first as materialized (${firstOfAll(wanted)})
      select ${DUE_COLUMNS},
        (
          select count(*) filter (where is_urgent) < ${FIRST_OF_ALL}
            and count(*) filter (where not is_urgent) < ${FIRST_OF_ALL}
          from first
        ) as "isAll"
      from (select *, ${PLACE} from first) as placed
      order by place, look_at, connector_id
      limit ${wanted.limit}
    `,
  );
  return rows;
}

const DUE_COLUMNS = sql`connector_id as "connectorId", application_id as "applicationId", kind,
  is_urgent as "isUrgent"`;

/** Which of its application's it is. */
const PLACE = sql`row_number() over (
  partition by application_id order by is_urgent desc, look_at, connector_id
) as place`;

async function listFirstApplications(
  database: Database,
  wanted: Wanted,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct application_id as id from (${firstOfAll(wanted)}) as first
  `.execute(database);
  return rows.map(({ id }) => id);
}

/** The applications after one, in order, that have connectors in the queue: each is found by the one before it. */
async function listNextApplications(database: Database, after: string): Promise<readonly string[]> {
  const next = sql`
    select application_id from patchbay.sync_queue
    where ${IS_QUEUED} and application_id > found.id order by application_id limit 1
  `;
  const { rows } = await sql<{ id: string }>`
    with recursive found as (
      select ${after}::uuid as id, 0 as number
      union all
      select (${next}), number + 1 from found
      where id is not null and number < ${APPLICATIONS_AT_ONCE}
    )
    select id from found where id is not null and number > 0 order by number
  `.execute(database);
  return rows.map(({ id }) => id);
}

interface Listed {
  readonly applications: readonly string[];
  readonly ofEach: number;
  readonly wanted: Wanted;
}

async function listOf(
  database: Database,
  { applications, ofEach, wanted: { limit, except } }: Listed,
): Promise<readonly DueConnector[]> {
  const due = (isUrgent: boolean) => sql`
    select * from patchbay.sync_queue
    where application_id = a.id and is_urgent = ${isUrgent} and ${IS_QUEUED} and look_at <= now()
      and ${isNoneOf(except)}
    order by look_at, connector_id limit ${ofEach}
  `;
  const { rows } = await sql<DueConnector>`
    select ${DUE_COLUMNS}
    from (
      select first.*, ${PLACE}
      from unnest(${applications}::uuid[]) as a (id)
      cross join lateral ((${due(true)}) union all (${due(false)})) as first
    ) as placed
    order by place, look_at, connector_id
    limit ${limit}
  `.execute(database);
  return rows;
}
