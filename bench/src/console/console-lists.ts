import type { Page, Route } from 'playwright-core';
import type { BenchResult } from '../support/measure.ts';

const CONNECTORS = 10_000;
const RECORDS = 100_000;
const FRAMES = 120;
const PX_A_FRAME = 300;

type Json = Readonly<Record<string, unknown>>;

/** Long lists, each answered for by the bench, so that only the page is timed. */
export async function benchLists(page: Page, id: string): Promise<readonly BenchResult[]> {
  return [
    ...(await manyConnectors(page)),
    ...(await manyRecords(page, id)),
    ...(await largeAnswer(page, id)),
  ];
}

async function manyConnectors(page: Page): Promise<readonly BenchResult[]> {
  const list = '**/v1/integrations/connectors?*';
  const one = await firstConnector(page);
  const data = Array.from({ length: CONNECTORS }, (_, index) => ({
    ...one,
    id: `01a2028e-7446-79d8-bd2c-${String(index).padStart(12, '0')}`,
    name: `Connector ${index}`,
    last_error: null,
  }));
  await page.route(list, (route) => {
    const { searchParams } = new URL(route.request().url());
    // Nothing needs attention, which would be listed above.
    if (searchParams.has('status')) return route.fulfill({ json: { data: [], next: null } });
    const text = searchParams.get('q') ?? '';
    const found = data.filter(({ name }) => name.includes(text));
    const from = Number(searchParams.get('cursor') ?? 0);
    const end = from + Number(searchParams.get('limit'));
    const next = end < found.length ? String(end) : null;
    return route.fulfill({ json: { data: found.slice(from, end), next } });
  });
  const rows = page.getByRole('link', { name: 'Connector 0', exact: true });
  const first = await millisecondsOf(async () => {
    await page.reload();
    await rows.waitFor();
  });
  const frames = await scrollFrames(page, 'document.scrollingElement');
  await page.evaluate('scrollTo(0, 0)');
  const filtered = await millisecondsOf(async () => {
    await page.getByLabel('Search connectors').pressSequentially('7');
    await page.getByRole('link', { name: 'Connector 7', exact: true }).waitFor();
    await rows.waitFor({ state: 'detached' });
  });
  await page.unroute(list);
  const what = `${CONNECTORS.toLocaleString('en')} connectors`;
  return [
    ...told(`${what}, page by page`, first, frames),
    ms(`${what}: a key in the filter, until painted`, filtered),
  ];
}

async function manyRecords(page: Page, id: string): Promise<readonly BenchResult[]> {
  const execute = '**/execute';
  await page.route(execute, (route) => answerPage(route, id));
  const grid = page.getByRole('grid');
  const first = await millisecondsOf(async () => {
    await page.goto(new URL(`/console/connectors/${id}?tab=records&entity=users`, page.url()).href);
    await grid.getByText('Person 0', { exact: true }).first().waitFor();
  });
  const frames = await scrollFrames(page, "document.querySelector('.records-scroller')");
  await page.unroute(execute);
  return told(`${RECORDS.toLocaleString('en')} records, page by page`, first, frames);
}

/** A page of a copy, whose cursor is the place of its first record. */
function answerPage(route: Route, id: string): Promise<void> {
  const { params } = route.request().postDataJSON() as { readonly params: Json };
  const from = Number(params['cursor'] ?? 0);
  const limit = Number(params['limit']);
  const hits = Array.from({ length: limit }, (_, index) => {
    const key = `U${String(from + index).padStart(6, '0')}`;
    const real_name = `Person ${from + index}`;
    return { id: key, score: 1, data: { id: key, name: real_name, real_name } };
  });
  const next_cursor = from + limit < RECORDS ? String(from + limit) : null;
  const sync = { state: 'idle', as_of: '2026-11-23T00:00:00Z', complete: true, lag_seconds: 1 };
  return route.fulfill({ json: envelope(id, { hits, next_cursor, took_ms: 1, sync }) });
}

async function largeAnswer(page: Page, id: string): Promise<readonly BenchResult[]> {
  const execute = '**/execute';
  const text = 'x'.repeat(200);
  const result = Array.from({ length: 21_000 }, (_, index) => ({ id: `U${index}`, name: text }));
  await page.goto(
    new URL(`/console/explore?connector=${id}&entity=users&action=list`, page.url()).href,
  );
  await page.route(execute, (route) => route.fulfill({ json: envelope(id, result) }));
  const run = page.getByRole('button', { name: 'Run' });
  await run.waitFor();
  const table = page.getByRole('region', { name: 'Records of the answer' });
  const first = await millisecondsOf(async () => {
    await run.click();
    await table.getByText('U0', { exact: true }).waitFor();
  });
  const frames = await scrollFrames(page, "document.querySelector('.answer .scroller')");
  const json = await millisecondsOf(async () => {
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByText('"status": "success"').waitFor();
  });
  const lines = await scrollFrames(page, "document.querySelector('.answer .scroller')");
  await page.unroute(execute);
  return [
    ...told('a result of 5 MB as a table', first, frames),
    ...told('a result of 5 MB as JSON', json, lines),
  ];
}

function envelope(id: string, result: unknown): Json {
  return {
    status: 'success',
    result,
    connector_metadata: { next_params: null },
    execution_metadata: { connector_instance_id: id, execution_time_ms: 1, request_id: id },
  };
}

/** What the overview lists, as the service tells it. */
async function firstConnector(page: Page): Promise<Json> {
  const listing = page.waitForResponse((response) => {
    const { pathname, searchParams } = new URL(response.url());
    return pathname === '/v1/integrations/connectors' && !searchParams.has('status');
  });
  await page.goto(new URL('/console', page.url()).href);
  // docs/wire.md#list-connectors
  const { data } = (await (await listing).json()) as { readonly data: readonly Json[] };
  return data[0] ?? {};
}

/** How long each frame took while a part of the page scrolled, in milliseconds. */
async function scrollFrames(page: Page, part: string): Promise<readonly number[]> {
  const script = `new Promise((resolve) => {
    const part = ${part};
    const times = [];
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      part.scrollTop += ${PX_A_FRAME};
      if (times.length > ${FRAMES}) resolve(times.slice(1));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`;
  return page.evaluate<readonly number[]>(script);
}

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function told(what: string, firstMs: number, frames: readonly number[]): readonly BenchResult[] {
  return [
    ms(`${what}: until the first rows`, firstMs),
    {
      ...ms(`${what}: a frame while it scrolls, p50`, quantile(frames, 0.5)),
      p95: rounded(quantile(frames, 0.95)),
    },
  ];
}

function ms(name: string, value: number): BenchResult {
  return { name, value: rounded(value), unit: 'ms' };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
