import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import type { ConnectorEngine, Page } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { collect } from '../support/connectors.ts';
import type { Change } from './kinds.ts';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import { engineFor, keyOf, listsOf, type Json, type ListOperation } from './support/operations.ts';
import { Samples } from './support/samples.ts';

/** Small, so that pages of one record are soon through. */
const SCALE = 24;
/** Longer lists are not walked in pages of one or two. */
const MOST_SMALL_PAGES = 150;
/** No walk of these sandboxes is longer. */
const MOST_REQUESTS = 400;
const CHANGES: readonly Change[] = ['insert', 'delete', 'update'];

for (const underTest of kindsUnderTest) {
  const { kind, row } = underTest;
  const paged = listsOf(kind).filter(({ action }) => action.paging.strategy !== 'single');

  describe(`the lists of ${kind.kind} end, and give every record exactly once`, () => {
    let sandbox: Sandbox;
    let engine: ConnectorEngine;
    let samples: Samples;
    before(async () => {
      sandbox = await startSandbox({ scale: SCALE });
      engine = engineFor(underTest, sandbox.urls[row.url]);
      samples = new Samples(engine, underTest);
    });
    after(() => sandbox.close());

    for (const operation of listsOf(kind)) {
      const { name, entity, action } = operation;
      const sizeParam = sizeParamOf(operation);

      if (sizeParam === undefined)
        test(`${name} has one page`, async () => {
          assert.equal(action.paging.strategy, 'single');
          sandbox.resetRequests();
          const params = await samples.paramsOf(operation);
          const records = await collect(engine.all(entity.name, params));
          assert.ok(records.length > 0);
          assert.equal(
            new Set(records.map((record) => keyOf(entity, record))).size,
            records.length,
          );
          assert.equal(sandbox.requests().length, 1);
        });
      else
        test(`${name}: pages of 1, 2, 7 and the most give the same`, async () => {
          const params = await samples.paramsOf(operation);
          const most = maximumOf(operation, sizeParam);
          const whole = await collect(engine.all(entity.name, { ...params, [sizeParam]: most }));
          assert.ok(whole.length > 1, 'more than one record to page through');
          const keys = whole.map((record) => keyOf(entity, record));
          assert.equal(new Set(keys).size, keys.length, 'no record twice');
          for (const size of [1, 2, 7, whole.length - 1, whole.length, whole.length + 1]) {
            if (size < 1 || size > most || whole.length / size > MOST_SMALL_PAGES) continue;
            sandbox.resetRequests();
            const pages: Page[] = await collect(
              engine.pages(entity.name, { ...params, [sizeParam]: size }),
            );
            assert.deepEqual(
              pages.flatMap(({ data }) => data),
              whole,
              `pages of ${size}`,
            );
            const least = Math.ceil(whole.length / size);
            // Where only a short page tells the end, a full last page is followed by an empty one.
            const mayEndEmpty = action.paging.strategy !== 'cursor' && whole.length % size === 0;
            assert.ok(pages.length === least || (mayEndEmpty && pages.length === least + 1));
            for (const field of leadingFields(operation))
              assert.equal(pages.at(-1)?.meta[field], null, 'the last page leads nowhere');
            assert.equal(sandbox.requests().length, pages.length);
          }
        });
    }

    for (const { operation, label, start } of listsOf(kind).flatMap(waysOf))
      test(`${operation.name}${label}: nextParams lead from the first page to the last`, async () => {
        const { entity } = operation;
        // As somebody calls it who knows nothing of cursors.
        const given = { ...(await samples.paramsOf(operation)), ...start, limit: 7 };
        const records: Json[] = [];
        let params: Json = given;
        for (let count = 0; ; count += 1) {
          assert.ok(count < MOST_REQUESTS, 'the list ends');
          // The outcome of a list is a page.
          const page = (await engine.execute(entity.name, 'list', params)) as Page;
          records.push(...page.data);
          if (page.nextParams === null) break;
          params = { ...params, ...page.nextParams };
          assert.equal(params['limit'], 7);
        }
        const whole = await collect(engine.all(entity.name, given));
        // By number and by cursor, the order may be another.
        assert.deepEqual(textsOf(records), textsOf(whole));
      });

    for (const { operation, label, start } of paged.flatMap(waysOf)) {
      test(`${operation.name}${label}: a cursor that repeats ends the walk, and loses nothing unsaid`, async () => {
        const { entity } = operation;
        const params = { ...(await withSmallPages(operation, samples)), ...start };
        const whole = await collect(engine.all(entity.name, params));
        sandbox.resetRequests();
        const fault = sandbox.faults.add({ kind: 'repeatCursor' });
        const walked = collect(engine.all(entity.name, params));
        const outcome: unknown = await walked.catch((error: unknown) => error);
        fault.release();
        assert.ok(sandbox.requests().length < MOST_REQUESTS);
        if (Array.isArray(outcome)) assert.deepEqual(outcome, whole);
        else assert.ok(isConnectorError(outcome, 'upstream_contract_broken'));
      });

      if (label !== '')
        test(`${operation.name}${label}: the walk gives the same records, each once`, async () => {
          const { entity } = operation;
          const params = await withSmallPages(operation, samples);
          const usual = await byKey(operation, engine.all(entity.name, params));
          const walked = await collect(engine.all(entity.name, { ...params, ...start }));
          assert.deepEqual(
            walked.map((record) => keyOf(entity, record)).toSorted(),
            [...usual.keys()].toSorted(),
          );
        });
    }
  });

  for (const change of CHANGES)
    describe(`records of ${kind.kind} that stay while others ${change}`, () => {
      let sandbox: Sandbox;
      let engine: ConnectorEngine;
      let samples: Samples;
      before(async () => {
        sandbox = await startSandbox({ scale: SCALE });
        engine = engineFor(underTest, sandbox.urls[row.url]);
        samples = new Samples(engine, underTest);
      });
      after(() => sandbox.close());

      for (const { operation, label, start } of paged.flatMap(waysOf)) {
        const { entity } = operation;
        const name = `${operation.name}${label}`;
        const numbered = row.numberedWalks;
        const hasNumbers =
          numbered?.lists.includes(operation.name) === true ||
          Object.keys(start).some((param) => numbered?.startedWith.includes(param));
        const mayRepeat = hasNumbers && numbered?.changes.includes(change) === true;
        const what = mayRepeat ? 'come at least once' : 'come exactly once';
        test(`${name}: ${what}`, async () => {
          const params = { ...(await withSmallPages(operation, samples)), ...start };
          const first = await byKey(operation, engine.all(entity.name, params));
          const fault = sandbox.faults.add({ kind: 'mutateWhilePaging', change });
          const walked = new Map<string, number>();
          for await (const record of engine.all(entity.name, params)) {
            const key = keyOf(entity, record);
            walked.set(key, (walked.get(key) ?? 0) + 1);
            assert.ok(walked.size < 10 * first.size + 100, 'the walk ends');
          }
          assert.ok(fault.hits > 0);
          fault.release();
          const since = await byKey(operation, engine.all(entity.name, params));
          const stayed = [...first].filter(
            ([key, record]) => JSON.stringify(since.get(key)) === JSON.stringify(record),
          );
          assert.ok(stayed.length > 0);
          const wrong = stayed
            .map(([key]) => [key, walked.get(key) ?? 0] as const)
            .filter(([, times]) => times === 0 || (times > 1 && !mayRepeat));
          assert.deepEqual(wrong, []);
        });
      }
    });
}

interface Way {
  readonly operation: ListOperation;
  readonly label: string;
  readonly start: Json;
}

/** The ways in which a list is walked: the engine's own, and those that a param may choose. */
function waysOf(operation: ListOperation): readonly Way[] {
  const { paging, params } = operation.action;
  const others = paging.strategy === 'cursor' ? (paging.walk?.unless ?? []) : [];
  const lastWord = (name: string) => {
    const { schema } = params[name] ?? assert.fail(name);
    const known = 'enum' in schema ? schema.enum : 'examples' in schema ? schema.examples : [1];
    assert.ok(Array.isArray(known));
    return known.at(-1) as unknown;
  };
  return [
    { operation, label: '', start: {} },
    ...others.map((name) => {
      const start = { [name]: lastWord(name) };
      return { operation, label: ` with ${name}`, start };
    }),
  ];
}

function textsOf(records: readonly Json[]): readonly string[] {
  return records.map((record) => JSON.stringify(record)).toSorted();
}

/** The Meta fields that lead on. */
function leadingFields({ action: { paging } }: ListOperation): readonly string[] {
  if (paging.strategy === 'link') return [paging.next];
  if (paging.strategy !== 'cursor') return [];
  return paging.orLink === undefined ? [paging.next] : [paging.next, paging.orLink];
}

/** The param that says how many records a page has. */
function sizeParamOf({ action }: ListOperation): string | undefined {
  return Object.keys(action.params).find((name) => action.params[name]?.role === 'page_size');
}

function maximumOf({ name, action }: ListOperation, sizeParam: string): number {
  const { schema } = action.params[sizeParam] ?? assert.fail(name);
  assert.ok('maximum' in schema, `${name} says how large its pages may be`);
  return Number(schema.maximum);
}

async function withSmallPages(operation: ListOperation, samples: Samples): Promise<Json> {
  const sizeParam = sizeParamOf(operation);
  const params = await samples.paramsOf(operation);
  return sizeParam === undefined ? params : { ...params, [sizeParam]: 3 };
}

async function byKey(
  { entity }: ListOperation,
  walk: AsyncIterable<Json>,
): Promise<ReadonlyMap<string, Json>> {
  const records = await collect(walk);
  return new Map(records.map((record) => [keyOf(entity, record), record]));
}
