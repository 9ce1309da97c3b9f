import assert from 'node:assert/strict';
import { Problem, SyncStatus } from '@patchbay/connectors/wire';
import { assertShape } from './contract.ts';

/** One piece of a stream of Server-Sent Events; a comment has nothing but its text. */
export interface ReadPiece {
  readonly event?: string;
  readonly id?: string;
  /** Parsed. */
  readonly data?: unknown;
  readonly comment?: string;
}

/** A stream of events that is open. */
export interface EventReader extends AsyncDisposable {
  readonly headers: Headers;
  /** The next piece; `undefined` once the server has ended the stream. */
  next(): Promise<ReadPiece | undefined>;
  /** All pieces that are left. */
  rest(): Promise<readonly ReadPiece[]>;
  /** Ends the connection. */
  leave(): void;
}

/** Connects to a stream of events, and checks that it is one. */
export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const { body } = response;
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.ok(body !== null);
  const pieces = piecesOf(body);
  const next = async () => {
    const { value, done } = await pieces.next();
    return done === true ? undefined : value;
  };
  assert.deepEqual(await next(), { comment: 'retry: 1000' });
  return {
    headers: response.headers,
    next,
    rest: async () => {
      const all: ReadPiece[] = [];
      for (let piece = await next(); piece !== undefined; piece = await next()) all.push(piece);
      return all;
    },
    leave: () => controller.abort(),
    [Symbol.asyncDispose]: async () => controller.abort(),
  };
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadPiece, void> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield pieceOf(block);
  }
  assert.equal(text, '', 'the stream ended in the middle of a piece');
}

function pieceOf(block: string): ReadPiece {
  const lines = block.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const { event, id, data, retry, '': comment } = Object.fromEntries(lines);
  if (event === undefined) return { comment: comment ?? `retry: ${retry}` };
  const value: unknown = JSON.parse(data ?? '');
  assertShape(event === 'problem' ? Problem : SyncStatus, value);
  return { event, ...(id === undefined ? {} : { id }), data: value };
}
