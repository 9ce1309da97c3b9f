import { sql } from 'kysely';
import type { Deletion } from '../contract/deletions.ts';
import type { Database } from '../database.ts';
import { isUuid } from '../uuid.ts';

/** What became of a deletion: of a connector or of all of an external user, or else of an application. */
export async function findDeletion(
  database: Database,
  jobId: string,
): Promise<Deletion | undefined> {
  if (!isUuid(jobId)) return undefined;
  return (await ofConnectors(database, jobId)) ?? (await ofApplication(database, jobId));
}

async function ofConnectors(database: Database, jobId: string): Promise<Deletion | undefined> {
  return await database
    .selectFrom('connectors as c')
    // What is cleared has none any more.
    .leftJoin('connector_syncs as s', 's.connector_id', 'c.id')
    .select([
      'c.application_id as applicationId',
      sql<number>`count(*)::int`.as('connectors'),
      sql<number>`count(s.connector_id)::int`.as('connectorsLeft'),
    ])
    .where('c.deletion_job_id', '=', jobId)
    .groupBy('c.application_id')
    .executeTakeFirst();
}

async function ofApplication(database: Database, jobId: string): Promise<Deletion | undefined> {
  const application = await database
    .selectFrom('applications')
    .select(['id', 'deleted_at as deletedAt'])
    .where('deletion_job_id', '=', jobId)
    .executeTakeFirst();
  if (application === undefined) return undefined;
  const { id: applicationId, deletedAt } = application;
  const counted = await database
    .selectFrom('connectors as c')
    .leftJoin('connector_syncs as s', 's.connector_id', 'c.id')
    .select([
      sql<number>`count(*)::int`.as('connectors'),
      sql<number>`count(*) filter (where c.deleted_at is null or s.connector_id is not null)::int`.as(
        'connectorsLeft',
      ),
    ])
    .where('c.application_id', '=', applicationId)
    // It is over when nothing is left of the application: so what had been deleted before counts, until it is cleared.
    .where(
      sql<boolean>`(c.deleted_at is null or c.deleted_at >= ${deletedAt} or s.connector_id is not null)`,
    )
    .executeTakeFirstOrThrow();
  return { applicationId, ...counted };
}
