import type { SearchPage, UntypedHit } from '@patchbay/client';
import type { Terminal } from '../terminal.ts';
import { shellWord } from './shell-word.ts';
import { showTable } from './show-table.ts';

type Page = SearchPage<UntypedHit>;

/** Shows a page of hits, how fresh they are, and how to go on. */
export function showHits(page: Page, terminal: Terminal): void {
  showHitTable(page.hits, terminal);
  const { hits, took_ms: tookMs, next_cursor: cursor, sync } = page;
  terminal.err(`${countOf(hits.length)} in ${tookMs} ms; ${freshnessOf(sync)}.\n`);
  if (cursor !== null) terminal.err(`Next page: --cursor ${shellWord(cursor)}, or --all.\n`);
}

/** Shows the hits of a page as a table: id, score, then the fields. */
export function showHitTable(hits: Page['hits'], terminal: Terminal): void {
  const rows = hits.map(({ id, score, data }) => ({
    ...data,
    id,
    score: Number(score.toFixed(3)),
  }));
  const columns = [...new Set(['id', 'score', ...rows.flatMap((row) => Object.keys(row))])];
  showTable(columns, rows, terminal);
}

/** Says how much of the truth the copy holds. */
export function freshnessOf({
  as_of: asOf,
  complete,
  lag_seconds: lag,
  state,
}: Page['sync']): string {
  const age = lag === null ? '' : `, ${lag} s old`;
  const copy = asOf === null ? 'the copy is not whole yet' : `the copy is of ${asOf}${age}`;
  const missing = complete || asOf === null ? '' : ', some records are missing';
  const trouble = state === 'failed' || state === 'paused' ? `, its sync is ${state}` : '';
  return copy + missing + trouble;
}

function countOf(count: number): string {
  return count === 1 ? '1 hit' : `${count} hits`;
}
