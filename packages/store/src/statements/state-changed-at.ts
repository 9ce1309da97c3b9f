import { sql, type RawBuilder } from 'kysely';
import type { ConnectorState } from '../contract/store.ts';
import { DATABASE_NOW } from '../database-clock.ts';

/** Since when a connector is in a state that it is put in: as before, where it is in that one already. */
export function stateChangedAt(state: ConnectorState): RawBuilder<Date> {
  return sql<Date>`case when state = ${state} then state_changed_at else ${DATABASE_NOW} end`;
}
