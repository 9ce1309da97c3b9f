import { Type } from 'typebox';
import {
  addedLater,
  count,
  countOrNull,
  instant,
  instantOrNull,
  oneOfOpen,
  orNull,
  text,
  textOrNull,
  uuid,
  type Wire,
} from './shape.ts';
import { Warning } from './warning.ts';

/** How the copy of an entity stands. */
export const CopyState = oneOfOpen(['never', 'syncing', 'idle', 'failed', 'paused']);

const run = {
  run_id: uuid(),
  cause: oneOfOpen(
    ['creation', 'schedule', 'demand', 'credentials', 'definition'],
    'What asked for it.',
  ),
  state: oneOfOpen(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
  requested_at: instant(),
  started_at: instantOrNull(),
  finished_at: instantOrNull(),
};

/** One sync of a connector, over all its copied entities. */
export const SyncRun = Type.Object(run);
export type SyncRun = Wire<typeof SyncRun>;

/** The same with what it did. */
export const SyncRunReport = Type.Object({
  ...run,
  entities: Type.Array(text(), { description: 'Those that it has read, or tried to.' }),
  records_read: count('What the upstream sent, unchanged records included.'),
  records_written: count('Of those, the ones that were new or had changed.'),
  records_deleted: count('Records that it took out of the copy.'),
  error: orNull(
    Type.Object({
      code: text('A code of the error table.'),
      message: text(),
      entity: textOrNull('The entity that failed first; null where the run failed as a whole.'),
    }),
    'Why it failed; null where it did not.',
  ),
});
export type SyncRunReport = Wire<typeof SyncRunReport>;

/** One page of the syncs of a connector, newest first. */
export const SyncRunPage = Type.Object({
  data: Type.Array(SyncRunReport),
  next: textOrNull('Cursor of the next page.'),
});
export type SyncRunPage = Wire<typeof SyncRunPage>;

/** What the upstream sends of an entity that its copy does not take. */
const CopyDrift = Type.Object({
  unknown_fields: Type.Array(text(), {
    description:
      'Fields that the definition does not know, at most 20 of them; long names are cut. They are not copied.',
  }),
  lost_values: count('Values of another type than their field has: null in the copy.'),
  lost_fields: Type.Array(text(), { description: 'The fields that those are of.' }),
});

/** How far the copy of one entity is. */
export const EntitySyncStatus = Type.Object({
  entity: text(),
  state: CopyState,
  as_of: instantOrNull('Start of the last complete read.'),
  complete: Type.Boolean({ description: 'The first full read is done.' }),
  entity_count: count('Records in the copy.'),
  mode: orNull(
    oneOfOpen(['full', 'increment']),
    'Of the read that is under way, or goes on with the next run.',
  ),
  records: countOrNull('What that read has brought so far.'),
  pages: countOrNull('What that read has brought so far.'),
  checkpoint: Type.Unknown({ description: 'For the service alone.' }),
  error: orNull(Type.Object({ code: text('A code of the error table.'), message: text() })),
  updated_at: instantOrNull('Last change of this state; null before anything was read.'),
  drift: addedLater(
    CopyDrift,
    'What the reads since the last full one began have shown, or that one; null where that is nothing.',
  ),
});
export type EntitySyncStatus = Wire<typeof EntitySyncStatus>;

/** The syncs of a connector; also the data of the events `progress` and `end` of a watch. */
export const SyncStatus = Type.Object({
  current: orNull(SyncRun, 'The run that is queued or under way.'),
  last: orNull(SyncRun, 'The last run that ended.'),
  entities: Type.Array(EntitySyncStatus, {
    description: 'In the order of the definition of the kind.',
  }),
});
export type SyncStatus = Wire<typeof SyncStatus>;

/** A run that was asked for. */
export const RequestedRun = Type.Object({
  run_id: uuid(),
  warnings: Type.Optional(
    Type.Array(Warning, {
      description: 'There where there are any: `no_worker`, where no process would begin the run.',
    }),
  ),
});
export type RequestedRun = Wire<typeof RequestedRun>;
