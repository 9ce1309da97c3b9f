import type { SearchHit } from '@patchbay/store';
import type { Found } from '../operations/outcome.ts';

/**
 * The shapes that a search is answered in: of this generation (`hits`), of later clients
 * (`records`), or both in one object.
 *
 * @see docs/wire.md#two-shapes
 */
export type SearchShape = 'hits' | 'records' | 'both';

/** The result of a search as JSON text, in pieces; hits are text already and are not parsed. */
export function* searchResultPieces(
  { page, tookMs, sync, lastFullAt }: Found,
  shape: SearchShape = 'hits',
): Generator<string> {
  const { hits, nextCursor, isPartial } = page;
  const cursor = JSON.stringify(nextCursor);
  const took = `"took_ms":${tookMs}${isPartial ? ',"partial":true' : ''}${countMembers(page)}`;
  yield '{';
  if (shape !== 'records') {
    yield '"hits":[';
    yield* hitPieces(hits, lastFullAt);
    yield `],"next_cursor":${cursor},${took},`;
  }
  if (shape !== 'hits') {
    yield '"data":[';
    yield* recordPieces(hits);
    yield `],"meta":{"has_more":${nextCursor !== null},"cursor":${cursor},${took}${freshnessMember(hits, lastFullAt)}},`;
  }
  yield `"sync":${JSON.stringify(sync)}}`;
}

/** Members for what was asked to be counted, each after a comma. */
function countMembers({ total, facets }: Found['page']): string {
  return Object.entries({ total, facets })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
}

/** What the store gave stays a piece of its own: it can be large, and to join it is to copy it. */
function* hitPieces(hits: readonly SearchHit[], lastFullAt: Date | null): Generator<string> {
  let before = '';
  for (const { id, score, data, syncedAt } of hits) {
    const fresh = syncedAt === undefined ? '' : `,${freshnessMembers(syncedAt, lastFullAt)}`;
    yield `${before}{"id":${JSON.stringify(id)},"score":${score}${fresh},"data":`;
    yield data;
    before = '},';
  }
  if (hits.length > 0) yield '}';
}

function* recordPieces(hits: readonly SearchHit[]): Generator<string> {
  let isFirst = true;
  for (const { data } of hits) {
    if (!isFirst) yield ',';
    yield data;
    isFirst = false;
  }
}

/** That of each record, where it was asked for: records themselves have no place for it. */
function freshnessMember(hits: readonly SearchHit[], lastFullAt: Date | null): string {
  const known = hits.flatMap(({ syncedAt }) => (syncedAt === undefined ? [] : [syncedAt]));
  if (known.length === 0) return '';
  const each = known.map((syncedAt) => `{${freshnessMembers(syncedAt, lastFullAt)}}`);
  return `,"freshness":[${each.join(',')}]`;
}

/**
 * When what the copy has was read or written, and when it was last seen to be so: a full read writes nothing of a
 * record that has not changed, and what it does not see is deleted.
 */
function freshnessMembers(syncedAt: Date, lastFullAt: Date | null): string {
  const isConfirmed = lastFullAt !== null && lastFullAt > syncedAt;
  const confirmedAt = isConfirmed ? lastFullAt : syncedAt;
  return `"synced_at":"${syncedAt.toISOString()}","confirmed_at":"${confirmedAt.toISOString()}"`;
}
