import { Button } from '@mantine/core';
import type { EntityDescription } from '@patchbay/client';
import { useState } from 'react';
import { ColumnChoice } from '../../parts/column-choice.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Notice } from '../../parts/notice.tsx';
import { RecordTable, type JsonRecord } from '../../parts/record-table.tsx';
import { countText } from '../../parts/words.ts';
import { recordsOf, type Outcome } from './run-call.ts';

const FIRST_COLUMNS = 5;

interface Props {
  readonly outcome: Outcome;
  readonly entity: EntityDescription;
  readonly onNextPage: (() => void) | undefined;
  readonly isBusy: boolean;
}

/** What a call answered: records as a table, and all of it as JSON. */
export function CallResult({ outcome, entity, onNextPage, isBusy }: Props) {
  const { answer } = outcome;
  const records = recordsOf(outcome);
  return (
    <section className="form" aria-labelledby="result">
      <div className="row">
        <h2 id="result">Result</h2>
        {records !== undefined && <span>{countText(records.length, 'record')}</span>}
        <Times outcome={outcome} />
        {onNextPage !== undefined && (
          <Button size="compact-sm" variant="default" loading={isBusy} onClick={onNextPage}>
            Next page
          </Button>
        )}
      </div>
      {(answer.warnings ?? []).map(({ code, message }) => (
        <Notice key={code + message} tone="warning" title={message} />
      ))}
      {records === undefined || records.length === 0 ? (
        <JsonView label="Answer" value={answer} />
      ) : (
        <Records records={records} entity={entity} whole={answer} />
      )}
    </section>
  );
}

interface RecordsProps {
  readonly records: readonly JsonRecord[];
  readonly entity: EntityDescription;
  readonly whole: unknown;
}

function Records({ records, entity, whole }: RecordsProps) {
  const present = new Set(records.flatMap((record) => Object.keys(record)));
  const known = entity.record.map(({ name }) => name).filter((name) => present.has(name));
  const all = [...new Set([...known, ...present])];
  const [chosen, setChosen] = useState<readonly string[]>();
  const [selected, setSelected] = useState<number>();
  const columns = chosen ?? all.slice(0, FIRST_COLUMNS);
  const record = selected === undefined ? undefined : records[selected];
  return (
    <>
      <ColumnChoice all={all} chosen={columns} onChange={setChosen} />
      <div className="beside">
        <RecordTable
          label="Records"
          records={records}
          columns={columns}
          selected={selected}
          onSelect={setSelected}
        />
        <JsonView
          label={record === undefined ? 'Answer' : `Record ${(selected ?? 0) + 1}`}
          value={record ?? whole}
        />
      </div>
    </>
  );
}

/** Where the time went: with the service and the upstream behind it, or on the way there and back. */
function Times({ outcome }: { readonly outcome: Outcome }) {
  const { execution_time_ms: serviceMs, upstream } = outcome.answer.execution_metadata;
  const wayMs = Math.max(0, Math.round(outcome.totalMs) - serviceMs);
  return (
    <span className="dim">
      {serviceMs} ms in the service and upstream, {wayMs} ms on the way
      {upstream !== undefined && `, upstream: ${upstream}`}
    </span>
  );
}
