import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { bytesOf } from './budget.ts';
import { fitFile, type FileCall } from './fit-file.ts';

const CALL: FileCall = {
  kind: 'support-ticketing',
  entity: 'attachments',
  params: { attachment_id: 7 },
  maxBytes: 4_096,
};

/** A file that comes in parts, and remembers whether it was read to its end. */
function fileOf(bytes: Uint8Array, contentType: string | null, range?: string) {
  const state = { hasEnded: false };
  const begin = range === undefined ? 0 : Number(/\d+/.exec(range)?.[0]);
  async function* parts() {
    for (let at = begin; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
    state.hasEnded = true;
  }
  return {
    state,
    file: {
      isPartial: range !== undefined,
      contentType,
      contentRange:
        range === undefined ? null : `bytes ${begin}-${bytes.length - 1}/${bytes.length}`,
      sizeBytes: bytes.length - begin,
      bytes: parts(),
    },
  };
}

interface FileAnswer {
  readonly data: { readonly content_text?: string; readonly content_base64?: string };
  readonly next_params?: { readonly range_header: string };
  readonly truncated?: { readonly bytes_given: number };
}

/** Reads a file as a model would: part by part, until nothing is left out. */
async function readAll(bytes: Uint8Array, contentType: string): Promise<readonly FileAnswer[]> {
  const answers: FileAnswer[] = [];
  let range: string | undefined;
  do {
    const { file } = fileOf(bytes, contentType, range);
    const answer = (await fitFile(file, CALL)) as unknown as FileAnswer;
    assert.ok(bytesOf(answer) <= CALL.maxBytes, `${bytesOf(answer)} bytes`);
    answers.push(answer);
    range = answer.next_params?.range_header;
  } while (range !== undefined);
  return answers;
}

test('the parts of a text joined are the text, and none cuts a character in two', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary', maxLength: 2_000, size: 'max' }), { maxLength: 6 }),
      async (texts) => {
        const text = texts.join('');
        const answers = await readAll(Buffer.from(text), 'text/plain; charset=utf-8');
        assert.equal(answers.map(({ data }) => data.content_text).join(''), text);
      },
    ),
    { numRuns: 100 },
  );
});

test('the parts of any other file joined are the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 12_000, size: 'max' }), async (bytes) => {
      const answers = await readAll(bytes, 'application/octet-stream');
      const joined = answers.map(({ data }) => data.content_base64).join('');
      assert.deepEqual(new Uint8Array(Buffer.from(joined, 'base64')), bytes);
    }),
    { numRuns: 50 },
  );
});

test('what does not fit is not read', async () => {
  const { file, state } = fileOf(new Uint8Array(100_000).fill(65), 'text/plain');
  const answer = await fitFile(file, CALL);
  assert.equal(state.hasEnded, false);
  assert.deepEqual(answer['truncated'], {
    bytes_given: 3_069,
    max_bytes: 4_096,
    rest: 'Go on with params = next_params. Give a max_bytes of up to 1048576.',
  });
  assert.deepEqual(answer['next_params'], { attachment_id: 7, range_header: 'bytes=3069-' });
});

test('text in another encoding comes as base64', async () => {
  const latin1 = Buffer.from('café', 'latin1');
  const { file } = fileOf(latin1, 'text/plain; charset=iso-8859-1');
  assert.deepEqual(await fitFile(file, CALL), {
    data: {
      content_type: 'text/plain; charset=iso-8859-1',
      size: 4,
      content_base64: latin1.toString('base64'),
    },
  });
});
