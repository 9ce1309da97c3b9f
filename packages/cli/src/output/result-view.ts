import type { Download, SearchPage, UntypedHit, UntypedPage } from '@patchbay/client';
import { isJsonObject } from '@patchbay/connectors/definitions';
import type { Terminal } from '../terminal.ts';
import { writeDownload, type DownloadTarget } from './download.ts';
import { jsonText } from './json-text.ts';
import { nextPageHint } from './next-page.ts';
import { printable } from './printable.ts';
import { showHits } from './search-view.ts';
import { showTable } from './show-table.ts';
import { renderRecord } from './table.ts';
import { tellWarnings } from './tell-warnings.ts';

/** What was run. */
export interface Operation {
  readonly entity: string;
  readonly action: string;
}

/** How results are to be shown. */
interface ResultView {
  readonly json?: true;
  /** Where a downloaded file goes. */
  readonly target: DownloadTarget;
  /** The params of the call. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly terminal: Terminal;
}

/** Shows what an operation brought: a table, a record, hits, or the bytes of a file. */
export async function showResult(
  result: unknown,
  operation: Operation,
  view: ResultView,
): Promise<void> {
  const { json, terminal } = view;
  // The name of an action says what it returns: a file, a page, hits or a record.
  if (operation.action === 'download')
    return await writeDownload(result as Download, view.target, terminal);
  if (operation.action === 'list') return showPage(result as UntypedPage, operation, view);
  if (json === true) return terminal.out(jsonText(result, terminal.isInteractive));
  if (operation.action === 'search')
    return showHits(result as SearchPage<UntypedHit>, view.params, terminal);
  terminal.out(
    isJsonObject(result)
      ? renderRecord(result, terminal)
      : jsonText(result, terminal.isInteractive),
  );
}

/** Shows all pages of a list, each as it comes; for programs, one record a line. */
export async function showWalk(
  pages: AsyncIterable<UntypedPage>,
  operation: Operation,
  { json, terminal }: ResultView,
): Promise<void> {
  let count = 0;
  let isFirst = true;
  for await (const { data, warnings } of pages) {
    // What is said of the params is said again with every page.
    if (isFirst && json !== true) tellWarnings(warnings, terminal);
    isFirst = false;
    count += data.length;
    if (json === true) terminal.out(data.map((record) => jsonText(record, false)).join(''));
    else showRecords(data, terminal);
  }
  if (json !== true) terminal.err(`${countOf(count, operation)}.\n`);
}

function showPage(page: UntypedPage, operation: Operation, view: ResultView): void {
  const { json, terminal } = view;
  const { data, meta, nextParams: next_params, warnings } = page;
  if (json === true) {
    terminal.out(jsonText({ data, meta, next_params, warnings }, terminal.isInteractive));
    return;
  }
  showRecords(data, terminal);
  tellWarnings(warnings, terminal);
  const hint = nextPageHint(page);
  terminal.err(`${countOf(data.length, operation)}.${hint === undefined ? '' : ` ${hint}`}\n`);
}

function showRecords(records: UntypedPage['data'], terminal: Terminal): void {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  showTable(columns, records, terminal);
}

function countOf(count: number, { entity }: Operation): string {
  return `${count} of ${printable(entity)}`;
}
