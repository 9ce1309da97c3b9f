/** One Server-Sent Event. */
export interface ServerEvent {
  readonly type: string;
  /** The last id that the stream gave, which need not be of this event. */
  readonly lastId: string | undefined;
  readonly data: string;
}

/**
 * The events of a stream; comments, and an event that is cut off at the end, give none.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* parseEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let lastId: string | undefined;
  let type = '';
  let data: string[] = [];
  for await (const line of linesOf(bytes)) {
    if (line === '') {
      if (data.length > 0)
        yield { type: type === '' ? 'message' : type, lastId, data: data.join('\n') };
      type = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) lastId = value;
  }
}

/** Whole lines, ended by CR LF, LF or CR; what follows the last end of a line is dropped. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be half of a CR LF.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(end);
    yield* lines;
  }
}
