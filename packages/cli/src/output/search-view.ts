import type { SearchPage, UntypedHit } from '@patchbay/client';
import type { Terminal } from '../terminal.ts';
import { namedPaths, valueAt, type Path } from './named-paths.ts';
import { printable } from './printable.ts';
import { shellWord } from './shell-word.ts';
import { showTable } from './show-table.ts';
import { tellWarnings } from './tell-warnings.ts';

type Page = SearchPage<UntypedHit>;

/** The params of the search that hits are of. */
type Params = Readonly<Record<string, unknown>>;

/** Shows a page of hits, how fresh they are, and how to go on. */
export function showHits(page: Page, params: Params, terminal: Terminal): void {
  showHitTable(page.hits, params, terminal);
  showCounts(page, terminal);
  const { hits, took_ms: tookMs, next_cursor: cursor, sync, partial, warnings } = page;
  terminal.err(`${countOf(hits.length)} in ${tookMs} ms; ${freshnessOf(sync)}.\n`);
  tellWarnings(warnings, terminal);
  if (partial === true) terminal.err(endedEarly(page));
  if (cursor !== null) terminal.err(`Next page: --cursor ${shellWord(cursor)}, or --all.\n`);
}

/**
 * Shows the hits of a page as a table: what the search names by filter, sort and fields, then id,
 * score and the other fields. A terminal has room for the first columns only.
 */
export function showHitTable(hits: Page['hits'], params: Params, terminal: Terminal): void {
  const named = namedPaths(params);
  const rows = hits.map(({ id, score, data }) => ({
    ...data,
    ...Object.fromEntries(named.map((path) => [titleOf(path), valueAt(data, path)])),
    id,
    score: Number(score.toFixed(3)),
  }));
  // Below a field whose members were chosen there is nothing but these.
  const chosen = params['fields'] === undefined ? [] : named;
  const whole = new Set(chosen.flatMap((path) => (path.length > 1 ? path.slice(0, 1) : [])));
  const others = hits.flatMap(({ data }) => Object.keys(data)).filter((name) => !whole.has(name));
  const columns = new Set([...named.map(titleOf), 'id', 'score', ...others]);
  showTable([...columns], rows, terminal);
}

function titleOf(path: Path): string {
  return path.join('.');
}

/** Shows what was counted: each facet as a table, and how many records match. */
export function showCounts({ facets = {}, total }: Page, terminal: Terminal): void {
  for (const [path, { values, other, relation }] of Object.entries(facets)) {
    const rows = values.map(({ value, count }) => ({ [path]: value, records: count }));
    if (rows.length > 0) terminal.out('\n');
    showTable([path, 'records'], rows, terminal);
    const notes = [
      ...(values.length === 0 ? ['no values'] : []),
      ...(other === 0 ? [] : [`${other} of other values`]),
      ...(relation === 'exact' ? [] : ['not of all records that match']),
    ];
    if (notes.length > 0) terminal.err(`${printable(path)}: ${notes.join(', ')}.\n`);
  }
  if (total === undefined) return;
  const least = total.relation === 'exact' ? '' : 'At least ';
  terminal.err(
    `${least}${total.value} ${total.value === 1 ? 'record matches' : 'records match'}.\n`,
  );
}

function endedEarly({ next_cursor: cursor }: Page): string {
  return cursor === null
    ? 'The search took too long to count.\n'
    : 'The search took too long: more hits may follow, even where there are none here.\n';
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
  const trouble = TROUBLES.get(state) ?? '';
  return copy + missing + trouble;
}

/** Why the copy grows older, by the state of its sync. */
const TROUBLES: ReadonlyMap<string, string> = new Map([
  ['failed', ', its sync is failed'],
  ['paused', ', its copying is paused'],
]);

function countOf(count: number): string {
  return count === 1 ? '1 hit' : `${count} hits`;
}
