import '@mantine/core/styles/Tabs.css';
import { Button, Tabs } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { hitTable } from '../../parts/data/answer-table.ts';
import { JsonView } from '../../parts/data/json-view.tsx';
import { RecordTable } from '../../parts/data/record-table.tsx';
import { Notice } from '../../parts/notice.tsx';
import { dateTime, durationText, numberText } from '../../parts/words.ts';
import type { EntityDescription } from '../../service/description.ts';
import { FacetBars } from './facet-bars.tsx';
import { hitMarks, markedFirst } from './hit-marks.ts';
import { warningsOf, type HitPage } from './search-answer.ts';
import type { Found } from './use-search.ts';

interface Props {
  readonly found: Found;
  readonly entity: EntityDescription;
  /** The search after this one did not end well. */
  readonly isEarlier: boolean;
  /** Absent while another call is under way. */
  readonly onMore: (() => void) | undefined;
  readonly onNarrow: (path: string, value: unknown) => void;
}

/** What a search found, how fresh that is, and what was counted. */
export function HitsView({ found, entity, isEarlier, onMore, onNarrow }: Props) {
  const { hits, first, last, answer, firstCall } = found;
  // All pages are of one search.
  const marks = useMemo(() => hitMarks(firstCall), [firstCall]);
  const marksOf = useCallback((index: number) => marks(hits[index]), [marks, hits]);
  const table = useMemo(
    () => markedFirst(hitTable(hits, entity), hits, marks),
    [hits, entity, marks],
  );
  return (
    <section className="answer" aria-label="Hits">
      <div className="row">
        <h2>
          {isEarlier && 'Earlier: '}
          {totalText(first, hits.length)}
        </h2>
        <span className="dim">
          in {numberText(last.took_ms)} ms. {freshnessText(last)}
        </span>
      </div>
      {warningsOf(answer).map((message) => (
        <Notice key={message} tone="warning" title={message} />
      ))}
      {last.partial === true && (
        <Notice tone="info" title="The search ended before the page was full; there may be more." />
      )}
      {first.facets !== undefined && (
        <FacetBars facets={first.facets} total={first.total?.value} onNarrow={onNarrow} />
      )}
      <Tabs defaultValue="table" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="table">{table.title}</Tabs.Tab>
          <Tabs.Tab value="json">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="table" className="panel">
          {hits.length === 0 ? (
            <p className="dim">Nothing that was copied matches.</p>
          ) : (
            <RecordTable
              columns={table.columns}
              rows={table.rows}
              label="Hits of the search"
              marksOf={marksOf}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="json" className="panel">
          <JsonView value={answer.body} label="The last answer as JSON" />
        </Tabs.Panel>
      </Tabs>
      {last.next_cursor !== null && (
        <Button variant="default" disabled={onMore === undefined} onClick={onMore}>
          More hits
        </Button>
      )}
    </section>
  );
}

function totalText({ total }: HitPage, shown: number): string {
  if (total === undefined) return `${numberText(shown)} shown`;
  const { value, relation } = total;
  return `${relation === 'at_least' ? 'At least ' : ''}${numberText(value)} ${value === 1 ? 'match' : 'matches'}`;
}

/** How old the copy is that was searched, and whether it is whole. */
function freshnessText({ sync }: HitPage): string {
  const { as_of: asOf, lag_seconds: lag, complete, state } = sync;
  const age =
    asOf === null || lag === null
      ? 'The copy has not been read in full yet'
      : `The copy is of ${dateTime(asOf)}, ${durationText(lag)} old`;
  return `${age}${complete ? '' : ', so hits may be missing'} (${state}).`;
}
