import type { Freshness } from '@patchbay/client';
import { isFile, type Answer } from '../../service/execute.ts';
import type { Row } from '../../parts/data/row.ts';

/** How often a field has which values. */
export interface Facet {
  readonly values: readonly { readonly value: string | number | boolean; readonly count: number }[];
  readonly relation: string;
  readonly other: number;
}

/** A page of hits, as the service gives it (docs/wire.md#search). */
export interface HitPage {
  readonly hits: readonly Row[];
  readonly next_cursor: string | null;
  readonly took_ms: number;
  readonly partial?: true;
  readonly total?: { readonly value: number; readonly relation: string };
  readonly facets?: Readonly<Record<string, Facet>>;
  readonly sync: Freshness;
}

/** The hits of an answer to a search. */
export function hitPageOf({ body }: Answer): HitPage {
  if (isFile(body)) throw new Error('A search does not answer with a file.');
  // Console and service are of one version, and this is what a search answers.
  return body.result as HitPage;
}

/** What the caller should know of an answer although the search went well. */
export function warningsOf({ body }: Answer): readonly string[] {
  return isFile(body) ? [] : (body.warnings ?? []).map(({ message }) => message);
}
