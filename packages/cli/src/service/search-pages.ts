import type { SearchPage, UntypedConnector, UntypedHit } from '@patchbay/client';

interface SearchWalk {
  readonly entity: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Every page that a search finds, following the cursor, which the service never gives twice. */
export async function* searchPages(
  connector: UntypedConnector,
  { entity, params, signal }: SearchWalk,
): AsyncGenerator<SearchPage<UntypedHit>, void, undefined> {
  let cursor = params['cursor'];
  do {
    const next = cursor === undefined ? params : { ...params, cursor };
    const found = await connector.execute(entity, 'search', next, { signal });
    // A search gives a page of hits.
    const page = found as SearchPage<UntypedHit>;
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
