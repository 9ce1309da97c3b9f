import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import type { Download } from '@patchbay/connectors/definitions';
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
  readonly data: {
    readonly content_text?: string;
    readonly content_base64?: string;
    readonly content_range?: string;
  };
  readonly next_params?: { readonly range_header: string };
  readonly truncated?: { readonly bytes_given: number; readonly rest: string };
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

/** Bytes that tell where they are: five digits each, as text. */
function digits(count: number): Uint8Array {
  const numbers = Array.from({ length: count / 5 }, (_, at) => String(at).padStart(5, '0'));
  return Buffer.from(numbers.join(''));
}

/** A host's answer to a range, or to none; one that ignores ranges sends all of the file. */
function hostOf(bytes: Uint8Array, options: { ignoresRanges: boolean; tellsSize?: boolean }) {
  let readBytes = 0;
  return {
    readBytes: () => readBytes,
    answer: (range: string | undefined): Download => {
      const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
      const takes = range !== undefined && !options.ignoresRanges;
      const begin = !takes ? 0 : first === '' ? bytes.length - Number(last) : Number(first);
      const most = takes && first !== '' && last !== '' ? Number(last) + 1 : bytes.length;
      const end = Math.min(most, bytes.length);
      async function* parts() {
        for (let at = begin; at < end; at += 700) {
          const part = bytes.subarray(at, Math.min(at + 700, end));
          readBytes += part.length;
          yield part;
        }
      }
      return {
        isPartial: takes,
        contentType: 'text/plain',
        contentRange: takes ? `bytes ${begin}-${end - 1}/${bytes.length}` : null,
        sizeBytes: options.tellsSize === false ? null : end - begin,
        bytes: parts(),
      };
    },
  };
}

type Host = ReturnType<typeof hostOf>;

/** The answers to a range, and to what each says to go on with. */
async function readRange(host: Host, range: string): Promise<readonly FileAnswer[]> {
  const answers: FileAnswer[] = [];
  let next: string | undefined = range;
  while (next !== undefined) {
    assert.ok(answers.length < 20, `it goes on for ever, with ${next}`);
    const call = { ...CALL, params: { attachment_id: 7, range_header: next } };
    const answer = (await fitFile(host.answer(next), call)) as unknown as FileAnswer;
    assert.ok(bytesOf(answer) <= CALL.maxBytes, `${bytesOf(answer)} bytes`);
    answers.push(answer);
    next = answer.next_params?.range_header;
  }
  return answers;
}

const FILE = digits(10_000);

for (const ignoresRanges of [false, true])
  for (const [range, begin, end] of [
    ['bytes=0-5999', 0, 6_000],
    ['bytes=500-', 500, 10_000],
    ['bytes=500-500', 500, 501],
    ['bytes=8000-99999', 8_000, 10_000],
    ['bytes=-4000', 6_000, 10_000],
  ] as const)
    test(`${range} of a host that ${ignoresRanges ? 'ignores' : 'takes'} ranges is that range, to its end`, async () => {
      const answers = await readRange(hostOf(FILE, { ignoresRanges }), range);
      const text = answers.map(({ data }) => data.content_text).join('');
      assert.equal(text, Buffer.from(FILE.subarray(begin, end)).toString());
      const expected = Math.ceil((end - begin) / 3_069);
      assert.equal(answers.length, expected, 'no more answers than it takes');
      const first = answers[0]?.data.content_range;
      assert.match(first ?? '', new RegExp(`^bytes ${begin}-`));
    });

test('the end of a range is kept in what goes on with it', async () => {
  const [first, second] = await readRange(hostOf(FILE, { ignoresRanges: false }), 'bytes=0-5999');
  assert.equal(first?.next_params?.range_header, 'bytes=3069-5999');
  assert.equal(second?.next_params, undefined);
});

test('a host that ignores ranges is not read beyond the range, and is told of', async () => {
  const host = hostOf(FILE, { ignoresRanges: true });
  const [first] = await readRange(host, 'bytes=1000-1999');
  assert.equal(first?.data.content_text?.length, 1_000);
  assert.ok(host.readBytes() < 3_000, `${host.readBytes()} bytes read`);
  assert.deepEqual(first.data, {
    content_type: 'text/plain',
    size: 1_000,
    content_range: 'bytes 1000-1999/10000',
    content_text: first.data.content_text,
  });
});

test('of a host that tells no size, a range is found too, its own size unknown', async () => {
  const host = hostOf(FILE, { ignoresRanges: true, tellsSize: false });
  const answers = await readRange(host, 'bytes=4000-7999');
  const text = answers.map(({ data }) => data.content_text).join('');
  assert.equal(text, Buffer.from(FILE.subarray(4_000, 8_000)).toString());
});

for (const [what, range, tellsSize] of [
  ['that begins too far in', 'bytes=9000000-9000099', true],
  ['from the end, of a file whose size nobody tells', 'bytes=-100', false],
] as const)
  test(`a range ${what}: the beginning, and that the host sends whole files only`, async () => {
    const host = hostOf(new Uint8Array(9_500_000).fill(65), { ignoresRanges: true, tellsSize });
    const answers = await readRange(host, range);
    assert.equal(answers.length, 1, 'nothing to go on with');
    const [{ data, truncated } = { data: {} }] = answers;
    assert.equal(data.content_range, undefined);
    assert.equal(data.content_text?.length, truncated?.bytes_given);
    assert.match(truncated?.rest ?? '', /ignores range_header and sends whole files only/);
    assert.ok(host.readBytes() < 10_000, `${host.readBytes()} bytes read`);
  });

test('a host that ignores ranges leads nowhere that it would not be followed to', async () => {
  const host = hostOf(new Uint8Array(9_500_000).fill(65), { ignoresRanges: true });
  const call = { ...CALL, params: { attachment_id: 7, range_header: 'bytes=8388000-' } };
  const answer = (await fitFile(host.answer('bytes=8388000-'), call)) as unknown as FileAnswer;
  assert.equal(answer.data.content_text?.length, 3_069);
  assert.equal(answer.next_params, undefined);
  assert.match(answer.truncated?.rest ?? '', /sends whole files only/);
});

test('a range behind the end of a file is empty', async () => {
  const [only] = await readRange(hostOf(FILE, { ignoresRanges: true }), 'bytes=10000-');
  assert.equal(only?.data.content_text, '');
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
