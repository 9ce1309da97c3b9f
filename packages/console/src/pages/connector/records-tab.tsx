import { Button, NativeSelect } from '@mantine/core';
import type { EntityDescription } from '@patchbay/client';
import { useState } from 'react';
import { ColumnChoice } from '../../parts/column-choice.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { FreshnessBar } from '../../parts/freshness-bar.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loading } from '../../parts/loading.tsx';
import { RecordTable } from '../../parts/record-table.tsx';
import { countText } from '../../parts/words.ts';
import { changeQuery, usePlace } from '../../routing/location.ts';
import { useDescription } from '../../service/connectors.ts';
import { failureOf } from '../../service/failure.ts';
import { useRecords } from '../../service/records.ts';

/** How many columns there are before anybody chooses. */
const FIRST_COLUMNS = 6;

/** The copy of each entity, as it is searched. */
export function RecordsTab({ id }: { readonly id: string }) {
  const { query } = usePlace();
  const { data, error, refetch } = useDescription(id);
  if (error !== null)
    return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the entities" />;
  const copied = data.entities.filter(({ searchable }) => searchable.length > 0);
  const entity = copied.find(({ name }) => name === query.get('entity')) ?? copied[0];
  if (entity === undefined) return <p className="empty">Nothing of this connector is copied.</p>;
  return (
    <>
      <div className="row">
        <NativeSelect
          aria-label="Entity"
          value={entity.name}
          onChange={(event) => changeQuery({ entity: event.currentTarget.value })}
          data={copied.map(({ name }) => name)}
        />
        <span className="dim">{entity.doc}</span>
      </div>
      <Records key={entity.name} id={id} entity={entity} />
    </>
  );
}

interface RecordsProps {
  readonly id: string;
  readonly entity: EntityDescription;
}

/** What can be shown, in the order of the record, which begins with what matters most. */
function fieldNames({ record, searchable }: EntityDescription): readonly string[] {
  const stored = new Set(searchable.map(({ name }) => name));
  const first = record.map(({ name }) => name).filter((name) => stored.has(name));
  return [...new Set([...first, ...stored])];
}

function Records({ id, entity }: RecordsProps) {
  const fields = fieldNames(entity);
  const [columns, setColumns] = useState<readonly string[]>(fields.slice(0, FIRST_COLUMNS));
  const [selected, setSelected] = useState<number>();
  const records = useRecords(id, entity.name);
  const { data, error, refetch } = records;
  if (error !== null && data === undefined)
    return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the records" />;
  const hits = data.pages.flatMap((page) => page.hits);
  const chosen = selected === undefined ? undefined : hits[selected];
  return (
    <>
      <div className="row">
        <FreshnessBar freshness={data.pages[0]?.sync} />
        <span className="dim">{countText(hits.length, 'record')} shown</span>
        {records.hasNextPage && (
          <Button
            size="compact-sm"
            variant="default"
            loading={records.isFetchingNextPage}
            onClick={() => void records.fetchNextPage()}
          >
            More records
          </Button>
        )}
      </div>
      <ColumnChoice all={fields} chosen={columns} onChange={setColumns} />
      {error !== null && <FailureNotice failure={failureOf(error)} />}
      {hits.length === 0 && <p className="empty">The copy has no records.</p>}
      <div className="beside">
        {hits.length > 0 && (
          <RecordTable
            label={`Records of ${entity.name}`}
            records={hits.map((hit) => hit.data)}
            columns={columns}
            selected={selected}
            onSelect={setSelected}
          />
        )}
        {chosen !== undefined && <JsonView label={chosen.id} value={chosen.data} />}
      </div>
    </>
  );
}
