import type { SearchHit } from '@patchbay/store';
import type { Found } from '../operations/outcome.ts';

/**
 * The shapes that a search is answered in: of this generation (`hits`), of later clients
 * (`records`), or both in one object.
 *
 * @see docs/wire.md#two-shapes
 */
export type SearchShape = 'hits' | 'records' | 'both';

/** The result of a search as JSON text; hits are text already and are not parsed. */
export function searchResultText({ page, tookMs, sync }: Found, shape: SearchShape): string {
  const { hits, nextCursor } = page;
  const cursor = JSON.stringify(nextCursor);
  const hitMembers = () =>
    `"hits":[${hits.map(hitText).join(',')}],"next_cursor":${cursor},"took_ms":${tookMs},`;
  const recordMembers = () =>
    `"data":[${hits.map(({ data }) => data).join(',')}],"meta":{"has_more":${nextCursor !== null},"cursor":${cursor},"took_ms":${tookMs}},`;
  const first = shape === 'records' ? '' : hitMembers();
  const second = shape === 'hits' ? '' : recordMembers();
  return `{${first}${second}"sync":${JSON.stringify(sync)}}`;
}

function hitText({ id, score, data }: SearchHit): string {
  return `{"id":${JSON.stringify(id)},"score":${score},"data":${data}}`;
}
