/**
 * Hands out what pages hold, one by one; holds one page. A signal that aborts takes effect at the next
 * one, wherever in a page that is.
 *
 * @throws the reason of `signal` when it aborts; what getting a page throws.
 */
export async function* eachOfPages<P, T>(
  pages: AsyncIterable<P>,
  itemsOf: (page: P) => readonly T[],
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages)
    for (const item of itemsOf(page)) {
      signal?.throwIfAborted();
      yield item;
    }
}
