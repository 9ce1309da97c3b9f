import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KINDS } from '@patchbay/connectors';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { kindsUnderTest } from './conformance/support/kinds-under-test.ts';
import { engineFor } from './conformance/support/operations.ts';
import { errorOf } from './support/connectors.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';
import { reply, startUpstream } from './support/upstreams.ts';

const KIND = KINDS['customer-messaging'];
const LIST = 'POST /companies/list';
const SCROLL = 'GET /companies/scroll';

/** Companies are a fifth of the contacts. */
const MOST_LISTED = { scale: 5 * 9_999 };
const TOO_MANY = { scale: 5 * 10_000 };

const BEGINNING = { parent: undefined, position: { beyond: {} } };

function copyAt(baseUrl: string): HandMadeCopy {
  const row = kindsUnderTest.find(({ kind }) => kind === KIND) ?? assert.fail();
  return new HandMadeCopy(engineFor(row, baseUrl), () => Date.UTC(2026, 1, 1));
}

function planAt(sandbox: Sandbox) {
  return copyAt(sandbox.urls.intercom).plan('companies');
}

function requestsTo(sandbox: Sandbox, method: string): number {
  return sandbox.requests().filter((request) => request.method === method).length;
}

/** Opens a scroll as another program of the same account does; returns its second page. */
async function scrollBeside(sandbox: Sandbox): Promise<() => Promise<unknown>> {
  const url = `${sandbox.urls.intercom}/companies/scroll`;
  const headers = { authorization: 'Bearer opens-the-sandbox' };
  const opened = await fetch(url, { headers });
  // As the upstream documents it.
  const { scroll_param } = (await opened.json()) as { scroll_param: string };
  return async () => (await fetch(`${url}?scroll_param=${scroll_param}`, { headers })).json();
}

describe('a list that ends early', () => {
  test('is read to its end where that is all there is', async () => {
    await using sandbox = await startSandbox(MOST_LISTED);
    const copy = copyAt(sandbox.urls.intercom);
    await copy.sync('companies');
    assert.equal(copy.rows('companies').size, 9_999);
    assert.deepEqual(
      [requestsTo(sandbox, LIST), requestsTo(sandbox, SCROLL)],
      // From both ends.
      [2 * Math.ceil(9_999 / 60), 0],
    );
  });

  test('gives way to a scroll at its first page where there is more', async () => {
    await using sandbox = await startSandbox(TOO_MANY);
    const copy = copyAt(sandbox.urls.intercom);
    await copy.sync('companies');
    assert.equal(copy.rows('companies').size, 10_000);
    assert.deepEqual([requestsTo(sandbox, LIST), requestsTo(sandbox, SCROLL)], [1, 101]);
  });

  test('gives way to it also where it does not say how many there are, and cannot go on', async () => {
    await using upstream = await startUpstream((response, nth) =>
      nth === 0
        ? reply(response, 200, {
            data: [{ id: 'a' }],
            pages: { next: 'https://api.intercom.io/companies/list?per_page=60&page=2' },
          })
        : reply(response, 400, { errors: [{ code: 'bad_request', message: 'page limit' }] }),
    );
    const plan = copyAt(upstream.url).plan('companies');
    const { next } = await plan.readPage({ parent: undefined, position: null });
    const page = await plan.readPage({ parent: undefined, position: next });
    assert.deepEqual(page, { records: [], next: BEGINNING.position });
  });
});

describe('a scroll', () => {
  test('can be left at its beginning alone', async () => {
    await using sandbox = await startSandbox(TOO_MANY);
    const plan = planAt(sandbox);
    const listed = await plan.readPage({ parent: undefined, position: null });
    assert.deepEqual([listed.next, listed.resumeAt], [BEGINNING.position, undefined]);
    const { next, resumeAt } = await plan.readPage(BEGINNING);
    assert.notDeepEqual(next, resumeAt);
    assert.deepEqual(resumeAt, BEGINNING.position);
  });

  for (const fault of [
    { kind: 'serverError', afterApplying: true },
    { kind: 'cutConnection', afterApplying: true },
    { kind: 'truncate', how: 'connection' },
  ] as const)
    test(`asks for no page twice after ${fault.kind}: its answer may be lost`, async () => {
      await using sandbox = await startSandbox(TOO_MANY);
      const plan = planAt(sandbox);
      const { next } = await plan.readPage(BEGINNING);
      sandbox.resetRequests();
      const handle = sandbox.faults.add(fault);
      const error = await errorOf(plan.readPage({ parent: undefined, position: next }));
      assert.equal(error.retry, 'backoff');
      assert.equal(handle.hits, 1);
    });

  test('asks again where the upstream only asked it to wait', async () => {
    await using sandbox = await startSandbox(TOO_MANY);
    const plan = planAt(sandbox);
    const first = await plan.readPage(BEGINNING);
    sandbox.faults.add({ kind: 'rateLimit', retryAfterSeconds: 0, times: 2 });
    const second = await plan.readPage({ parent: undefined, position: first.next });
    assert.equal(second.records.length, 100);
    assert.notEqual(second.records[0]?.key, first.records[0]?.key);
  });

  test('that brings the same records for ever is upstream_contract_broken', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { data: [{ type: 'company', id: 'a' }], scroll_param: 'same' }),
    );
    const plan = copyAt(upstream.url).plan('companies');
    const walk = async () => {
      for (let position: unknown = BEGINNING.position; position !== null;)
        position = (await plan.readPage({ parent: undefined, position })).next;
    };
    const error = await errorOf(walk());
    assert.equal(error.code, 'upstream_contract_broken');
    assert.match(error.message, /1000 pages in a row/);
    assert.equal(upstream.seen.length, 1_001);
  });

  test('that has expired is invalid_cursor', async () => {
    let now = Date.UTC(2026, 5, 1);
    await using sandbox = await startSandbox({ ...TOO_MANY, clock: () => now });
    const plan = planAt(sandbox);
    const { next } = await plan.readPage(BEGINNING);
    now += 60_001;
    const error = await errorOf(plan.readPage({ parent: undefined, position: next }));
    assert.equal(error.code, 'invalid_cursor');
    assert.equal((await plan.readPage(BEGINNING)).records.length, 100);
  });

  test('that another one keeps from beginning says so, may try again, and does it no harm', async () => {
    await using sandbox = await startSandbox(TOO_MANY);
    const nextOfOther = await scrollBeside(sandbox);
    const error = await errorOf(planAt(sandbox).readPage(BEGINNING));
    assert.deepEqual([error.code, error.retry], ['upstream_unavailable', 'backoff']);
    assert.match(error.message, /all companies be read by one program at a time/);
    assert.partialDeepStrictEqual(error.details, { upstreamCode: 'scroll_exists' });
    assert.equal(requestsTo(sandbox, SCROLL), 2);
    const page = (await nextOfOther()) as { readonly data: readonly unknown[] };
    assert.equal(page.data.length, 100);
  });

  test('that is refused from the start fails as any list does', async () => {
    await using sandbox = await startSandbox(TOO_MANY);
    sandbox.faults.add({ kind: 'upstreamError', error: 'parameter_invalid', status: 400 });
    assert.equal((await errorOf(planAt(sandbox).readPage(BEGINNING))).code, 'upstream_rejected');
  });
});
