import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isUuid } from '../uuid.ts';
import { DATABASE_NOW, unlessFuture } from '../database-clock.ts';
import type { EntitySync, ReadProgress } from '../contract/syncs.ts';

/** As of when a copy is, of a row of `entity_syncs` called `e`: no later than the copies of its parents were when it was read. */
export const TOLD_AS_OF = sql<Date | null>`least(e.as_of, e.parents_as_of)`;

/** In the order of the names; entities nobody has read yet are `never`. */
export async function listEntitySyncs(
  database: Database,
  connectorId: string,
  names: readonly string[],
): Promise<readonly EntitySync[]> {
  const rows = isUuid(connectorId) ? await selectRows(database, connectorId, names) : [];
  const found = new Map(rows.map((row) => [row.entity, toEntitySync(row)]));
  return names.map((name) => found.get(name) ?? neverRead(name));
}

type EntitySyncRow = Awaited<ReturnType<typeof selectRows>>[number];

async function selectRows(database: Database, connectorId: string, names: readonly string[]) {
  return await database
    .selectFrom('entity_syncs as e')
    .innerJoin('connector_syncs as s', 's.connector_id', 'e.connector_id')
    .select([
      'e.entity',
      'e.has_page',
      'e.is_complete',
      'e.is_forbidden',
      'e.problem_code',
      'e.problem_message',
      'e.record_count',
      'e.definition_hash',
      'e.read_mode',
      'e.read_started_at',
      'e.read_records',
      'e.read_pages',
      'e.read_position',
      'e.drift',
      'e.read_drift',
      'e.losses',
      'e.settled_losses',
      'e.updated_at',
    ])
    .select([
      unlessFuture(sql.ref<Date | null>('e.as_of')).as('last_read_at'),
      unlessFuture(TOLD_AS_OF).as('as_of'),
      unlessFuture(sql.ref<Date | null>('e.last_full_at')).as('last_full_at'),
      // Not what a process that died has begun, nor what waits for the next run.
      sql<boolean>`coalesce(e.read_epoch = s.lease_epoch and s.lease_expires_at > ${DATABASE_NOW}, false)`.as(
        'is_reading',
      ),
    ])
    .where('e.connector_id', '=', connectorId)
    .where('e.entity', '=', sql<string>`any(${names}::text[])`)
    .execute();
}

function toEntitySync(row: EntitySyncRow): EntitySync {
  return {
    entity: row.entity,
    state: stateOf(row),
    hasPage: row.has_page,
    isComplete: row.is_complete,
    asOf: row.as_of,
    lastReadAt: row.last_read_at,
    lastFullAt: row.last_full_at,
    isForbidden: row.is_forbidden,
    problem:
      row.problem_code === null || row.problem_message === null
        ? null
        : { code: row.problem_code, message: row.problem_message },
    recordCount: row.record_count,
    definitionHash: row.definition_hash,
    progress: toProgress(row),
    // While a full read has found none yet, what was known stays.
    drift: row.read_drift ?? row.drift,
    losses: row.losses,
    settledLosses: row.settled_losses,
    updatedAt: row.updated_at,
  };
}

function stateOf(row: EntitySyncRow): EntitySync['state'] {
  if (row.is_reading) return 'syncing';
  if (row.problem_code !== null) return 'failed';
  return row.has_page ? 'idle' : 'never';
}

/** The columns of a read; a constraint says that all of them are there or none. */
export const READ_COLUMNS = [
  'read_mode',
  'read_started_at',
  'read_records',
  'read_pages',
  'read_position',
] as const;

export function toProgress(
  row: Pick<EntitySyncRow, (typeof READ_COLUMNS)[number]>,
): ReadProgress | null {
  const { read_mode: mode, read_started_at: startedAt } = row;
  const { read_records: records, read_pages: pages, read_position: position } = row;
  if (mode === null || startedAt === null || records === null || pages === null) return null;
  return { mode, startedAt, records, pages, position };
}

function neverRead(entity: string): EntitySync {
  return {
    entity,
    state: 'never',
    hasPage: false,
    isComplete: false,
    asOf: null,
    lastReadAt: null,
    lastFullAt: null,
    isForbidden: false,
    problem: null,
    recordCount: 0,
    definitionHash: null,
    progress: null,
    drift: null,
    losses: 0,
    settledLosses: null,
    updatedAt: new Date(0),
  };
}
