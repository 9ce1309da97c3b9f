import { sql, type RawBuilder } from 'kysely';
import type { ConnectorState } from '../contract/store.ts';
import { DATABASE_NOW } from '../database-clock.ts';

/**
 * Since when a connector is in a state that it is put in: as before, where it is in that one already. By
 * its place in an array, since a distributed database takes no clock in a `case`.
 */
export function stateChangedAt(state: ConnectorState): RawBuilder<Date> {
  return sql<Date>`(array[${DATABASE_NOW}, state_changed_at])[1 + (state = ${state})::integer]`;
}
