import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, connectorFor } from '../support/connectors.ts';
import { reply, startUpstream } from '../support/upstreams.ts';

// Slack may begin every page of a thread with its parent, and a walk then gave it once for each page.

const PARENT = '1700000000.000100';
const REPLIES = ['1700000001.000100', '1700000002.000100', '1700000003.000100'];

/** A thread whose pages have one reply each, besides the parent. */
function threadOf(hasParent: (page: number) => boolean) {
  return startUpstream((response, _, { line }) => {
    const page = Number(
      new URL(line.split(' ')[1] ?? '', 'http://slack').searchParams.get('cursor'),
    );
    const times = [...(hasParent(page) ? [PARENT] : []), REPLIES[page] ?? ''];
    const isLast = page === REPLIES.length - 1;
    reply(response, 200, {
      ok: true,
      messages: times.map((ts) => ({ type: 'message', ts, thread_ts: PARENT })),
      has_more: !isLast,
      response_metadata: { next_cursor: isLast ? '' : String(page + 1) },
    });
  });
}

for (const [what, hasParent] of [
  ['every page begins', () => true],
  ['only the first page begins', (page: number) => page === 0],
] as const)
  test(`a thread has its parent once where ${what} with it`, async () => {
    await using upstream = await threadOf(hasParent);
    const slack = connectorFor(upstream.url);
    const thread = { channel: 'C1', ts: PARENT };
    const walked = await collect(slack.threads.list.all(thread));
    assert.deepEqual(
      walked.map(({ ts }) => ts),
      [PARENT, ...REPLIES],
    );
    const { data } = await slack.threads.list({ ...thread, cursor: '1' });
    assert.deepEqual(
      data.map(({ ts }) => ts),
      [REPLIES[1]],
    );
    for (const params of [thread, { ...thread, cursor: '' }]) {
      const first = await slack.threads.list(params);
      assert.equal(first.data[0]?.ts, PARENT);
    }
  });
