/** How long a client waits before it connects anew, unless it knows better. */
const RECONNECT_MS = 1_000;

/** Headers that keep proxies from holding events back or cutting them into something else. */
export const EVENT_STREAM_HEADERS = {
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
  // A connection that were kept after its last event would keep a closing server waiting.
  connection: 'close',
} as const;

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** What goes down a stream of events. */
export type Piece =
  | { readonly event: string; readonly id?: string; readonly data: string }
  /** Only keeps the connection open. */
  | { readonly comment: string };

/**
 * Server-Sent Events as bytes. Ending the iteration aborts what makes the pieces, even while that
 * waits for something.
 *
 * @param makePieces Makes them until the signal aborts.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function eventStream(
  makePieces: (signal: AbortSignal) => AsyncGenerator<Piece, void, undefined>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const controller = new AbortController();
      const chunks = chunksOf(makePieces(controller.signal));
      return {
        next: () => chunks.next(),
        return: () => {
          controller.abort();
          return chunks.return();
        },
      };
    },
  };
}

async function* chunksOf(
  pieces: AsyncGenerator<Piece, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  yield encoder.encode(`retry: ${RECONNECT_MS}\n\n`);
  for await (const piece of pieces) yield encoder.encode(textOf(piece));
}

/** Data is JSON text, so it has no line breaks. */
function textOf(piece: Piece): string {
  if ('comment' in piece) return `: ${piece.comment}\n\n`;
  const { event, id, data } = piece;
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
