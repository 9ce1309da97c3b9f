import { sql, type RawBuilder } from 'kysely';
import type { CopyContext } from './open-copy.ts';

/** A connector in a database. */
interface PlacedConnector extends Pick<CopyContext, 'isDistributed'> {
  readonly connectorId: string;
}

/**
 * Rows of a connector that are found by what else is asked of them, which no other connector's have: with
 * a plain `=`, the planner, which knows nothing of that, may rather read all rows of the connector. A
 * distributed database has to be told so; without it, it asks every node.
 *
 * @param prefix What the column's name begins with: the name of the row and a dot.
 */
export function ofConnector(
  { connectorId, isDistributed }: PlacedConnector,
  prefix = '',
): RawBuilder<boolean> {
  const column = sql.raw(`${prefix}connector_id`);
  return isDistributed
    ? sql<boolean>`${column} = ${connectorId}::uuid`
    : sql<boolean>`${column} is not distinct from ${connectorId}::uuid`;
}
