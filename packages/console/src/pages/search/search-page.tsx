import './search.css';
import { NativeSelect } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';
import { ConnectorChoice } from '../../parts/connector-choice.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import { changeQuery, usePlace } from '../../routing/location.ts';
import { useDescription, type EntityDescription } from '../../service/description.ts';
import { failureOf } from '../../service/failure.ts';
import { SearchPanel } from './search-panel.tsx';

/** Searches of the copy of an entity, built by hand; the address says which one. */
export function SearchPage() {
  const { query } = usePlace();
  const connectorId = query.get('connector') ?? '';
  const { data: kind, error, refetch } = useDescription(connectorId);
  const entities = kind === undefined ? [] : searchableOf(kind);
  const entity = entities.find(({ name }) => name === query.get('entity')) ?? entities[0];
  return (
    <>
      <h1>Search</h1>
      <div className="row chooser">
        <ConnectorChoice
          value={connectorId}
          onChange={(id) => changeQuery({ connector: id, entity: '' })}
        />
        {entity !== undefined && (
          <NativeSelect
            label="Entity"
            value={entity.name}
            data={entities.map(({ name }) => name)}
            onChange={(event) => changeQuery({ entity: event.currentTarget.value })}
          />
        )}
      </div>
      {connectorId === '' && (
        <p className="dim">
          Choose a connector: then the copy of its records can be searched here.
        </p>
      )}
      {error !== null && (
        <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
      )}
      {connectorId !== '' && error === null && kind === undefined && (
        <Loading what="what can be searched" />
      )}
      {kind !== undefined && entity === undefined && <p>Nothing of this connector is copied.</p>}
      {entity !== undefined && (
        <SearchPanel
          key={`${connectorId} ${entity.name}`}
          connectorId={connectorId}
          entity={entity}
          asksAtOnce={query.get('run') === '1'}
        />
      )}
    </>
  );
}

function searchableOf({ entities }: KindDescription): readonly EntityDescription[] {
  return entities.filter(({ actions }) => actions.some(({ name }) => name === 'search'));
}
