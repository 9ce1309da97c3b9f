import type { ConnectorKind, EntityDescription, KindDescription } from '@patchbay/connectors';
import { writtenPath } from '@patchbay/connectors/engine';
import type { ObservedPath } from '@patchbay/store';
import { describedKind } from './described-kind.ts';

/** A kind, with what the copies of a connector have below searchable objects and arrays. */
export function describeConnector(
  kind: ConnectorKind,
  observed: ReadonlyMap<string, readonly ObservedPath[]>,
): KindDescription {
  const description = describedKind(kind);
  if (observed.size === 0) return description;
  const entities = description.entities.map((entity) =>
    withObserved(entity, observed.get(entity.name) ?? []),
  );
  return { ...description, entities };
}

function withObserved(
  entity: EntityDescription,
  observed: readonly ObservedPath[],
): EntityDescription {
  if (observed.length === 0) return entity;
  const byField = Map.groupBy(observed, ({ segments }) => segments[0]);
  const searchable = entity.searchable.map((field) => {
    const below = byField.get(field.name);
    if (below === undefined) return field;
    const paths = below.map(({ segments, types, records }) => ({
      path: writtenPath(segments),
      types,
      count: records,
    }));
    return { ...field, observed: paths };
  });
  return { ...entity, searchable };
}
