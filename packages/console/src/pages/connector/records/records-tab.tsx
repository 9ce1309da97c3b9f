import type {
  ConnectorInfo,
  EntityDescription,
  KindDescription,
  SyncStatus,
} from '@patchbay/client';
import { NativeSelect } from '@mantine/core';
import { numberText } from '../../../parts/words.ts';
import { changeQuery, usePlace } from '../../../routing/location.ts';
import { ColumnChoice } from './column-choice.tsx';
import { columnsIn, columnsText, copiedEntities } from './columns.ts';
import { CopyBrowser } from './copy-browser.tsx';

interface Props {
  readonly connector: ConnectorInfo;
  readonly kind: KindDescription;
  /** `undefined` until it is known. */
  readonly status: SyncStatus | undefined;
}

/** Browses the copy of each entity; entity and columns stand in the address. */
export function RecordsTab({ connector, kind, status }: Props) {
  const { query } = usePlace();
  const entities = copiedEntities(kind);
  const entity = entities.find(({ name }) => name === query.get('entity')) ?? entities[0];
  if (entity === undefined) return <p className="empty">Nothing of it is copied.</p>;
  const columns = columnsIn(query, entity);
  const copyStatus = status?.entities.find(({ entity: name }) => name === entity.name);
  return (
    <>
      <div className="row">
        <NativeSelect
          aria-label="Entity"
          value={entity.name}
          onChange={(event) => changeQuery({ entity: event.currentTarget.value, columns: '' })}
          data={entities.map((each) => ({ value: each.name, label: labelOf(each, status) }))}
        />
        <ColumnChoice
          entity={entity}
          columns={columns}
          onChange={(chosen) => changeQuery({ columns: columnsText(chosen, entity) })}
        />
      </div>
      <CopyBrowser
        key={entity.name}
        connectorId={connector.id}
        entity={entity}
        columns={columns}
        status={copyStatus}
      />
    </>
  );
}

function labelOf({ name }: EntityDescription, status: SyncStatus | undefined): string {
  const found = status?.entities.find(({ entity }) => entity === name);
  return found === undefined ? name : `${name} (${numberText(found.entity_count)})`;
}
