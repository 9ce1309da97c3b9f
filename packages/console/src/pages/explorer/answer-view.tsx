import '@mantine/core/styles/Tabs.css';
import { Button, Tabs } from '@mantine/core';
import { useMemo } from 'react';
import { JsonView } from '../../parts/data/json-view.tsx';
import { RecordTable } from '../../parts/data/record-table.tsx';
import type { Row } from '../../parts/data/row.ts';
import { Notice } from '../../parts/notice.tsx';
import type { EntityDescription } from '../../service/description.ts';
import { isFile, type Answer } from '../../service/execute.ts';
import { FileAnswer } from './file-answer.tsx';
import { nextPageOf, tableOf } from './shown-answer.ts';
import { Timing } from './timing.tsx';

interface Props {
  readonly answer: Answer;
  readonly entity: EntityDescription;
  /** Another call is under way, or did not end well: this is the answer of the one before. */
  readonly isEarlier: boolean;
  readonly onNextPage: (params: Row) => void;
}

/** What a call answered: as a table, as JSON, and what is to be known of it. */
export function AnswerView({ answer, entity, isEarlier, onNextPage }: Props) {
  const { body } = answer;
  const table = useMemo(() => tableOf(answer, entity), [answer, entity]);
  const next = useMemo(() => nextPageOf(answer), [answer]);
  return (
    <section className="answer" aria-label="Answer">
      <div className="row">
        <h2>{isEarlier ? 'Earlier answer' : 'Answer'}</h2>
        <Timing answer={answer} />
        {next !== undefined && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={isEarlier}
            onClick={() => onNextPage(next)}
          >
            Next page
          </Button>
        )}
      </div>
      {!isFile(body) && <Facts body={body} />}
      {isFile(body) ? (
        <FileAnswer file={body} />
      ) : (
        <Tabs defaultValue={table === undefined ? 'json' : 'table'} keepMounted={false}>
          <Tabs.List>
            {table !== undefined && <Tabs.Tab value="table">{table.title}</Tabs.Tab>}
            <Tabs.Tab value="json">JSON</Tabs.Tab>
          </Tabs.List>
          {table !== undefined && (
            <Tabs.Panel value="table" className="panel">
              {table.rows.length === 0 ? (
                <p className="dim">There are none.</p>
              ) : (
                <RecordTable
                  columns={table.columns}
                  rows={table.rows}
                  label="Records of the answer"
                />
              )}
            </Tabs.Panel>
          )}
          <Tabs.Panel value="json" className="panel">
            <JsonView value={body} label="The answer as JSON" />
          </Tabs.Panel>
        </Tabs>
      )}
    </section>
  );
}

/** What the envelope says besides the result. */
function Facts({ body }: { readonly body: Exclude<Answer['body'], { content_base64: string }> }) {
  const { request_id: requestId, upstream } = body.execution_metadata;
  return (
    <>
      <p className="dim">
        Request <code>{requestId}</code>
        {upstream !== undefined && (
          <>
            , answered by <code>{upstream}</code>, not the real upstream
          </>
        )}
      </p>
      {body.warnings?.map(({ code, message }) => (
        <Notice key={`${code} ${message}`} tone="warning" title={message} />
      ))}
    </>
  );
}
