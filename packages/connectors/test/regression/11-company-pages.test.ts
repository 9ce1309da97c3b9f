import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectorEngine, Page } from '@patchbay/connectors/engine';
import { kindsUnderTest } from '../conformance/support/kinds-under-test.ts';
import { engineFor } from '../conformance/support/operations.ts';
import { collect, errorOf } from '../support/connectors.ts';
import { HandMadeCopy } from '../support/hand-made-copy.ts';
import { reply, startUpstream, type OwnUpstream } from '../support/upstreams.ts';

// Intercom pages companies by number: `pages.next` is an address. A cursor was looked for in it, there
// was none, and the first page passed for the whole list.

const KIND = 'customer-messaging';

function engineAt(upstream: OwnUpstream): ConnectorEngine {
  const row = kindsUnderTest.find(({ kind }) => kind.kind === KIND) ?? assert.fail();
  return engineFor(row, upstream.url);
}

async function listed(engine: ConnectorEngine, params: object = {}): Promise<Page> {
  // The action is a list, so the outcome is a page.
  return (await engine.execute('companies', 'list', params)) as Page;
}

/** A list of as many companies as are asked for, paged as Intercom pages it. */
function companiesOf(total: number, nextOf: (page: number, perPage: number) => unknown) {
  return startUpstream((response, nth, { line }) => {
    const query = new URL(line.split(' ')[1] ?? '', 'http://upstream').searchParams;
    const perPage = Number(query.get('per_page') ?? 15);
    const page = Number(query.get('page') ?? 1);
    const pages = Math.ceil(total / perPage);
    const first = (page - 1) * perPage;
    const count = Math.max(0, Math.min(perPage, total - first));
    assert.ok(nth < 20, 'the list ends');
    reply(response, 200, {
      type: 'list',
      data: Array.from({ length: count }, (_each, index) => ({ id: `company-${first + index}` })),
      pages: {
        type: 'pages',
        next: page < pages ? nextOf(page + 1, perPage) : null,
        page,
        per_page: perPage,
        total_pages: pages,
      },
      total_count: total,
    });
  });
}

const address = (page: number, perPage: number) =>
  `https://api.intercom.io/companies/list?per_page=${perPage}&page=${page}`;

const FORMS = {
  'an address': address,
  'an address with more in it': (page: number, perPage: number) =>
    `https://api.intercom.io/companies/list?page=${page}&per_page=${perPage}&order=desc`,
  'an address without a host': (page: number) => `/companies/list?page=${page}`,
  'a number in an object': (page: number, perPage: number) => ({ page, per_page: perPage }),
};

describe('companies, which Intercom pages by number', () => {
  for (const [form, nextOf] of Object.entries(FORMS))
    test(`are walked to the end where the next page is ${form}`, async () => {
      await using upstream = await companiesOf(130, nextOf);
      const ids = (await collect(engineAt(upstream).all('companies', { per_page: 60 }))).map(
        ({ id }) => id,
      );
      assert.deepEqual([ids.length, new Set(ids).size], [130, 130]);
      assert.deepEqual(
        upstream.seen.map(({ line }) => line),
        [
          'POST /companies/list?per_page=60',
          'POST /companies/list?per_page=60&page=2',
          'POST /companies/list?per_page=60&page=3',
        ],
      );
    });

  test('are walked by the cursor of the schema, where that is given', async () => {
    await using upstream = await startUpstream((response, nth) =>
      reply(response, 200, {
        data: [{ id: `company-${nth}` }],
        pages: { next: nth === 0 ? { per_page: 1, starting_after: 'WzE3LCJhIl0=' } : null },
      }),
    );
    const walked = await collect(engineAt(upstream).all('companies', { per_page: 1 }));
    assert.equal(walked.length, 2);
    assert.deepEqual(
      upstream.seen.map(({ line }) => line),
      [
        'POST /companies/list?per_page=1',
        'POST /companies/list?per_page=1&starting_after=WzE3LCJhIl0%3D',
      ],
    );
  });

  test('are copied whole', async () => {
    await using upstream = await companiesOf(130, address);
    const copy = new HandMadeCopy(engineAt(upstream), () => Date.UTC(2026, 1, 1));
    await copy.sync('companies');
    assert.equal(copy.rows('companies').size, 130);
  });

  for (const change of ['is used', 'goes'] as const)
    test(`are all copied, also those that one moves which ${change} meanwhile`, async () => {
      const lastUsed = new Map(Array.from({ length: 180 }, (_, nth) => [`company-${nth}`, nth]));
      await using upstream = await startUpstream((response, nth, { line }) => {
        const query = new URL(line.split(' ')[1] ?? '', 'http://upstream').searchParams;
        const page = Number(query.get('page') ?? 1);
        const direction = query.get('order') === 'asc' ? 1 : -1;
        // After the first page: one of the last page is used, or one of the first page is deleted.
        if (nth === 1 && change === 'is used') lastUsed.set('company-7', 1_000);
        if (nth === 1 && change === 'goes') lastUsed.delete('company-170');
        const ids = [...lastUsed].toSorted(([, a], [, b]) => direction * (a - b)).map(([id]) => id);
        const pages = Math.ceil(ids.length / 60);
        reply(response, 200, {
          data: ids.slice((page - 1) * 60, page * 60).map((id) => ({ id })),
          pages: { next: page < pages ? address(page + 1, 60) : null, page, total_pages: pages },
          total_count: ids.length,
        });
      });
      const copy = new HandMadeCopy(engineAt(upstream), () => Date.UTC(2026, 1, 1));
      await copy.sync('companies');
      const missing = [...lastUsed.keys()].filter((id) => !copy.rows('companies').has(id));
      assert.deepEqual(missing, []);
    });

  test('lead on by hand with the number of the next page', async () => {
    await using upstream = await companiesOf(25, address);
    const engine = engineAt(upstream);
    const first = await listed(engine, { per_page: 20 });
    assert.deepEqual(first.meta, { next_page: '2' });
    assert.deepEqual(first.nextParams, { starting_after: '2' });
    const second = await listed(engine, { per_page: 20, starting_after: '2' });
    assert.deepEqual(second.meta, { next_page: null });
    assert.equal(second.data.length, 5);
  });

  test('go on where no next page is told, but more pages are', async () => {
    await using upstream = await companiesOf(25, () => null);
    const ids = (await collect(engineAt(upstream).all('companies', { per_page: 10 }))).length;
    assert.equal(ids, 25);
  });

  for (const pages of [
    null,
    { type: 'pages', next: null },
    { type: 'pages', page: 1, per_page: 50, total_pages: 1 },
    { type: 'pages', next: null, page: 2, total_pages: 1 },
  ])
    test(`end with ${JSON.stringify(pages)}`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { type: 'list', data: [{ id: 'a' }], pages }),
      );
      assert.deepEqual((await listed(engineAt(upstream))).meta, { next_page: null });
    });

  test('end with an empty page, whatever number of pages there is', async () => {
    await using upstream = await startUpstream((response) =>
      reply(response, 200, { data: [], pages: { next: null, page: 1, total_pages: 3 } }),
    );
    assert.deepEqual((await listed(engineAt(upstream))).meta, { next_page: null });
  });

  for (const next of [
    'https://api.intercom.io/companies/list?per_page=60',
    'https://api.intercom.io/companies/list?page=last',
    'no address: //',
    '',
    {},
    { per_page: 60, starting_after: null },
    { page: '' },
    ['https://api.intercom.io/companies/list?page=2'],
    7,
    true,
  ])
    test(`break the contract with ${JSON.stringify(next)} as the next page`, async () => {
      await using upstream = await startUpstream((response) =>
        reply(response, 200, { type: 'list', data: [{ id: 'a' }], pages: { type: 'pages', next } }),
      );
      const engine = engineAt(upstream);
      for (const read of [() => listed(engine), () => collect(engine.all('companies'))]) {
        const error = await errorOf(read());
        assert.equal(error.code, 'upstream_contract_broken');
        assert.deepEqual(error.details, { entity: 'companies', action: 'list' });
      }
      const copy = new HandMadeCopy(engine, () => Date.UTC(2026, 1, 1));
      assert.equal((await errorOf(copy.sync('companies'))).code, 'upstream_contract_broken');
    });
});
