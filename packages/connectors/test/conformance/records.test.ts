import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isConnectorError, type DriftReport } from '@patchbay/connectors';
import {
  isJsonObject,
  isWrite,
  recordSchema,
  type ConnectorEngine,
  type Field,
  type RecordFields,
} from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { Compile } from 'typebox/compile';
import { tappedDispatcher, type TappedDispatcher } from '../support/tapped-dispatcher.ts';
import { reply, startUpstream, type OwnUpstream } from '../support/upstreams.ts';
import { kindsUnderTest } from './support/kinds-under-test.ts';
import {
  engineFor,
  isList,
  isWriteOperation,
  keyOf,
  recordOperationsOf,
  recordsOf,
  run,
  type Json,
  type Operation,
} from './support/operations.ts';
import { Samples, unknownId } from './support/samples.ts';
import {
  onlyRecordsAt,
  rawRecordsAt,
  upstreamTableOf,
  withRecordsAt,
} from './support/upstream-tables.ts';

const SCALE = 40;

for (const underTest of kindsUnderTest) {
  const { kind, row } = underTest;
  const table = upstreamTableOf(kind);

  describe(`every operation of ${kind.kind} works in the sandbox`, () => {
    let sandbox: Sandbox;
    let tap: TappedDispatcher;
    let engine: ConnectorEngine;
    let samples: Samples;
    /** Answers any request with `answer`. */
    let echo: OwnUpstream;
    let answer: unknown;
    const drift: DriftReport[] = [];
    const onDrift = (report: DriftReport) => drift.push(report);

    before(async () => {
      sandbox = await startSandbox({ scale: SCALE });
      tap = tappedDispatcher();
      const { dispatcher } = tap;
      engine = engineFor(underTest, sandbox.urls[row.url], { dispatcher, onDrift });
      samples = new Samples(engineFor(underTest, sandbox.urls[row.url]), underTest);
      echo = await startUpstream((response) => reply(response, 200, answer));
    });
    after(async () => {
      await tap[Symbol.asyncDispose]();
      await Promise.all([sandbox.close(), echo[Symbol.asyncDispose]()]);
    });

    const runs = new Map<string, ReturnType<typeof runIt>>();

    /** What came of the one time that an operation was run. */
    function runOnce(operation: Operation) {
      const known = runs.get(operation.name) ?? runIt(operation);
      runs.set(operation.name, known);
      return known;
    }

    async function runIt(operation: Operation) {
      const params = await samples.paramsOf(operation);
      sandbox.resetRequests();
      tap.exchanges.length = 0;
      drift.length = 0;
      const outcome = await run(engine, operation, params);
      const [exchange] = tap.exchanges;
      const [request] = sandbox.requests();
      const rawPath = table.rows.get(operation.name)?.records;
      assert.ok(exchange && request && rawPath !== undefined);
      // A write whose answer lacks the record is followed by the read that has it.
      const body: unknown = JSON.parse(tap.exchanges.at(-1)?.answer ?? '');
      const raw = rawRecordsAt(body, rawPath, operation.action.verb);
      return { params, outcome, exchange, request, body, raw, rawPath, drift: [...drift] };
    }

    /** Runs an operation against a body that no sandbox gives. */
    function runOn(operation: Operation, body: unknown, params: Json): Promise<Json> {
      answer = body;
      drift.length = 0;
      return run(engineFor(underTest, echo.url, { onDrift }), operation, params);
    }

    for (const operation of recordOperationsOf(kind)) {
      const { entity, action, name } = operation;
      const isValid = Compile(recordSchema(entity.record));
      const filledFields = row.filledFields?.[name] ?? [];

      test(`${name}: the sandbox sees the request line, and gets the records of the body`, async () => {
        const { params, outcome, request, raw, exchange, drift: met } = await runOnce(operation);
        const [verb, path = ''] = action.request.split(' ');
        const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => String(params[param]));
        const basePath = new URL(sandbox.urls[row.url]).pathname.replace(/\/$/, '');
        assert.equal(request.verb, verb);
        assert.equal(request.path, `${basePath}${filled}`);
        assert.notEqual(request.method, '', 'a request that the upstream knows');
        assert.equal(request.status, 200);
        assert.equal(request.authorization, exchange.headers['authorization']?.split(' ')[0]);
        const records = recordsOf(operation, outcome);
        assert.ok(records.length > 0, 'records to look at');
        assert.equal(records.length, raw.length);
        for (const record of records) {
          assert.deepEqual([...isValid.Errors(record)], []);
          assert.deepEqual(Object.keys(record), Object.keys(entity.record));
          checkItems(entity.record, record);
        }
        const losses = met.map(({ lostValues }) => lostValues);
        assert.ok(
          losses.every((lost) => lost === 0),
          'no value has another type than declared',
        );
        // A reshaped body may have its records in another order.
        const sorted = (list: readonly Json[]) =>
          action.reshape === undefined
            ? list
            : list.toSorted((one, other) => keyOf(entity, one).localeCompare(keyOf(entity, other)));
        const expected = sorted(raw).map((one) => projected(entity.record, one));
        if (isWriteOperation(operation)) return checkWritten(records, expected);
        for (const field of filledFields)
          assert.ok(
            records.some((record) => record[field] !== null),
            field,
          );
        const asSent = sorted(records).map((record, nth) => {
          const sent = filledFields.map((field) => [field, expected[nth]?.[field]] as const);
          return { ...record, ...Object.fromEntries(sent) };
        });
        assert.deepEqual(asSent, expected);
      });

      test(`${name}: unknown fields are dropped and counted, ones that are missing are null`, async () => {
        const { params, outcome, body, rawPath } = await runOnce(operation);
        assert.deepEqual(await runOn(operation, body, params), outcome);
        const known = drift.reduce((sum, report) => sum + report.unknownFields, 0);
        const more = withRecordsAt(body, rawPath, action.verb, (record) => ({
          ...record,
          patchbay_is_not_told_of: { this: [1] },
        }));
        assert.deepEqual(await runOn(operation, more, params), outcome);
        assert.equal(drift.length, 1, 'one report a call');
        const records = recordsOf(operation, outcome);
        assert.equal(drift[0]?.unknownFields, known + records.length);
        assert.ok(drift[0].unknownNames.length > 0);
        const least = withRecordsAt(body, rawPath, action.verb, (record) =>
          Object.fromEntries(
            Object.entries(record).filter(([field]) => isNeeded(operation, field)),
          ),
        );
        const fill = isWrite(action) ? (action.fill ?? {}) : {};
        const kept = [kind.errors.succeededWhen?.path ?? '', ...Object.values(fill)];
        const bare = await runOn(operation, onlyRecordsAt(least, rawPath, kept), params);
        assert.deepEqual(drift, []);
        for (const record of recordsOf(operation, bare)) {
          assert.deepEqual([...isValid.Errors(record)], []);
          assert.deepEqual(Object.keys(record), Object.keys(entity.record));
          for (const [field, value] of Object.entries(record))
            if (!isNeeded(operation, field) && !(field in fill) && !filledFields.includes(field))
              assert.deepEqual(
                value,
                entity.record[field]?.['x-always'] === true ? [] : null,
                field,
              );
        }
        if (isList(operation)) checkMeta(operation.action.meta, bare);
      });

      // Where a write has another place to look for the key, it is not missed.
      const looksElsewhere = 'readBack' in action || 'fill' in action;
      const keys = Object.keys(entity.record).filter(
        (field) =>
          !looksElsewhere &&
          isNeeded(operation, field) &&
          field !== kind.errors.succeededWhen?.path,
      );
      for (const key of keys)
        test(`${name}: a record without "${key}" breaks the contract`, async () => {
          const { params, body, rawPath } = await runOnce(operation);
          const less = withRecordsAt(body, rawPath, action.verb, (record) => ({
            ...record,
            [key]: null,
          }));
          const error: unknown = await runOn(operation, less, params).catch((e: unknown) => e);
          assert.ok(isConnectorError(error, 'upstream_contract_broken'));
          assert.equal(error.details.applied, isWriteOperation(operation) ? true : undefined);
        });

      if (isList(operation))
        test(`${name}: every Meta field is there, null only where it may be`, async () => {
          const { outcome } = await runOnce(operation);
          const { meta } = operation.action;
          checkMeta(meta, outcome);
          const paths = table.rows.get(name)?.meta ?? {};
          for (const field of Object.keys(paths)) assert.ok(field in meta, field);
          for (const [field, { from }] of Object.entries(meta))
            // A reshaped body has it where the definition has put it.
            if (field in paths && action.reshape === undefined)
              assert.equal(`$.${from}`, paths[field], field);
        });

      const idParams = Object.keys(action.params).filter((param) =>
        action.verb === 'get' ? action.params[param]?.isRequired : false,
      );
      const idParam = idParams.at(-1);
      if (idParam !== undefined)
        test(`${name}: an id that nothing has is record_not_found`, async () => {
          const params = await samples.paramsOf(operation);
          const call = run(engine, operation, { ...params, [idParam]: unknownId(action, idParam) });
          await assert.rejects(call, { code: 'record_not_found' });
        });
    }

    test('fields of the sandbox that no documentation names change nothing', async () => {
      for (const operation of recordOperationsOf(kind)) {
        if (isWriteOperation(operation)) continue;
        const params = await samples.paramsOf(operation);
        const outcome = await run(engine, operation, params);
        drift.length = 0;
        const fault = sandbox.faults.add({ kind: 'unknownFields' });
        assert.deepEqual(await run(engine, operation, params), outcome, operation.name);
        fault.release();
        assert.equal(drift.length, 1);
        const count = recordsOf(operation, outcome).length;
        assert.ok((drift[0]?.unknownFields ?? 0) >= 5 * count, operation.name);
        assert.equal(drift[0]?.lostValues, 0);
      }
    });

    for (const where of ['body', 'records'] as const)
      test(`arrays as ${where} break the contract of every read`, async () => {
        for (const operation of recordOperationsOf(kind)) {
          if (isWriteOperation(operation)) continue;
          const params = await samples.paramsOf(operation);
          const fault = sandbox.faults.add({ kind: 'arrayBody', where });
          const call = run(engine, operation, params);
          await assert.rejects(call, { code: 'upstream_contract_broken' }, operation.name);
          fault.release();
        }
      });

    test('arrays where records have objects become null, but in free-form fields', async () => {
      for (const operation of recordOperationsOf(kind)) {
        if (isWriteOperation(operation)) continue;
        const params = await samples.paramsOf(operation);
        const fault = sandbox.faults.add({ kind: 'arrayBody', where: 'fields' });
        const records = recordsOf(operation, await run(engine, operation, params));
        fault.release();
        const { record: fields } = operation.entity;
        const isValid = Compile(recordSchema(fields));
        for (const record of records) assert.deepEqual([...isValid.Errors(record)], []);
      }
    });
  });

  /** What a record cannot do without: its key, and what is never null but for arrays. */
  function isNeeded({ entity }: Operation, field: string): boolean {
    const { 'x-always': isAlways, 'x-field': type } = entity.record[field] ?? {};
    if (field === kind.errors.succeededWhen?.path) return true;
    return isAlways === true && type !== 'array<integer>';
  }
}

/** Meta has the declared fields in their order, each of its type. */
function checkMeta(meta: Readonly<Record<string, { readonly field: Field }>>, outcome: Json): void {
  const values = outcome['meta'] as Json;
  assert.deepEqual(Object.keys(values), Object.keys(meta));
  for (const [name, { field }] of Object.entries(meta)) {
    const errors = [...Compile(field).Errors(values[name])];
    assert.deepEqual(errors, [], name);
    if (field['x-always']) assert.notEqual(values[name], null, name);
  }
}

/** Inline items have exactly the declared fields, in their order. */
function checkItems(fields: RecordFields, record: Json): void {
  for (const [name, field] of Object.entries(fields)) {
    const items = field['x-items'];
    if (items === undefined) continue;
    for (const item of (record[name] ?? []) as readonly Json[]) {
      assert.deepEqual(Object.keys(item), Object.keys(items), name);
      assert.deepEqual([...Compile(recordSchema(items)).Errors(item)], [], name);
      checkItems(items, item);
    }
  }
}

/** The raw record cut to the declared fields: another way to do what the engine does. */
function projected(fields: RecordFields, raw: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = raw[name] ?? null;
      const items = field['x-items'];
      if (items !== undefined && Array.isArray(value))
        return [name, value.map((item) => projected(items, item as Json))];
      return [name, typed(field, value)];
    }),
  );
}

/**
 * Digits and integers stand for each other, 0 and 1 for booleans, and objects for a member of theirs;
 * whatever else differs in type is a fault.
 */
function typed(field: Field, value: unknown): unknown {
  const { 'x-field': type, 'x-member': member } = field;
  if (member !== undefined && isJsonObject(value)) return value[member];
  if (type === 'boolean' && typeof value === 'number') return value === 1;
  if (type === 'array<integer>') return value ?? [];
  if (type === 'string' && typeof value === 'number') return String(value);
  if ((type === 'integer' || type === 'number') && typeof value === 'string') return Number(value);
  return value;
}

/** The answer to a write may leave to a second read what its record lacks. */
function checkWritten(records: readonly Json[], expected: readonly Json[]): void {
  for (const [nth, raw] of expected.entries())
    for (const [name, value] of Object.entries(raw))
      if (value !== null && !Array.isArray(value))
        assert.deepEqual(records[nth]?.[name], value, name);
}
