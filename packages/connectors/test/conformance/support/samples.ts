import assert from 'node:assert/strict';
import type { ConnectorKind } from '@patchbay/connectors';
import type { Action, ConnectorEngine } from '@patchbay/connectors/engine';
import { Compile } from 'typebox/compile';
import type { Sample } from '../kinds.ts';
import type { KindUnderTest } from './kinds-under-test.ts';
import {
  isList,
  listsOf,
  operationsOf,
  recordsOf,
  requiredParamsOf,
  run,
  type Json,
  type Operation,
} from './operations.ts';

/** Parents looked at until one has children. */
const MOST_PARENTS = 30;

/** Finds params with which operations work in one upstream, by looking into it. */
export class Samples {
  readonly #engine: ConnectorEngine;
  readonly #kind: ConnectorKind;
  readonly #samples: Readonly<Record<string, Sample>>;
  readonly #found = new Map<string, Promise<unknown>>();
  #number = 0;

  constructor(engine: ConnectorEngine, { kind, row }: KindUnderTest) {
    this.#engine = engine;
    this.#kind = kind;
    this.#samples = row.samples ?? {};
  }

  /** All required params of an operation, and the optional ones that the table names. */
  async paramsOf(operation: Operation): Promise<Json> {
    const { action, name } = operation;
    const names = Object.keys(action.params).filter(
      (param) => requiredParamsOf(action).includes(param) || `${name}.${param}` in this.#samples,
    );
    const entries: [string, unknown][] = [];
    for (const param of names) entries.push([param, await this.#valueOf(operation, param)]);
    return Object.fromEntries(entries);
  }

  async #valueOf(operation: Operation, param: string): Promise<unknown> {
    const sample = this.#samples[`${operation.name}.${param}`] ?? this.#samples[param];
    if (typeof sample === 'string') return sample.replace('#', String(++this.#number));
    if (typeof sample === 'object')
      return this.#once(JSON.stringify(sample), () => this.#fieldOf(sample));
    if (sample !== undefined) return sample;
    return this.#once(`${operation.entity.name} ${param}`, () => this.#idFor(operation, param));
  }

  #once(key: string, find: () => Promise<unknown>): Promise<unknown> {
    const found = this.#found.get(key) ?? find();
    this.#found.set(key, found);
    return found;
  }

  async #fieldOf({ of, field, having }: Exclude<Sample, string | number | boolean>) {
    const operation = operationsOf(this.#kind).find(({ name }) => name === of);
    assert.ok(operation, `there is no operation ${of}`);
    const params = await this.paramsOf(operation);
    for await (const record of this.#records(operation, params))
      if (having === undefined || isSomething(at(record, having))) return at(record, field);
    return assert.fail(`no record of ${of} has ${having ?? field}`);
  }

  async *#records(operation: Operation, params: Json): AsyncGenerator<Json> {
    if (isList(operation)) yield* this.#engine.all(operation.entity.name, params);
    else yield* recordsOf(operation, await run(this.#engine, operation, params));
  }

  /** The key of a record that the param is named for, one with children where lists need it. */
  async #idFor(operation: Operation, param: string): Promise<unknown> {
    const parent = this.#namesake(operation, param);
    const [keyField = ''] = parent.entity.key.filter((name) => !name.startsWith('params.'));
    const children = listsOf(this.#kind).filter(
      ({ action }) => requiredParamsOf(action).join() === param && param !== 'id',
    );
    let first: unknown;
    let seen = 0;
    for await (const record of this.#records(parent, await this.paramsOf(parent))) {
      first ??= record[keyField];
      const pages = await Promise.all(
        children.map((child) => run(this.#engine, child, { [param]: record[keyField] })),
      );
      if (pages.every(({ data }) => Array.isArray(data) && data.length > 0))
        return asParam(operation.action, param, record[keyField]);
      if (++seen === MOST_PARENTS) break;
    }
    assert.notEqual(first, undefined, `${parent.name} is empty`);
    return asParam(operation.action, param, first);
  }

  /** The list of `users` for `user_id`, `user`, and for the `id` of `users.get`. */
  #namesake({ entity, name }: Operation, param: string): Operation {
    const stem = param === 'id' ? singularOf(entity.name) : param.replace(/_id$/, '');
    // A path may shorten the name: `policy` for `sla_policies`.
    const found = listsOf(this.#kind).find((list) => singularOf(list.entity.name) === stem);
    return found ?? assert.fail(`nothing tells what "${param}" of ${name} may be`);
  }
}

/** A value that a param takes, whatever it means to the upstream. */
export function plausible({ params }: Action, name: string): unknown {
  const { schema } = params[name] ?? assert.fail(name);
  const [, word] = /\(\?:(\w+)/.exec('pattern' in schema ? String(schema.pattern) : '') ?? [];
  const words: readonly unknown[] =
    'enum' in schema && Array.isArray(schema.enum) ? schema.enum : [];
  const check = Compile(schema);
  const candidates = [words[0], word, 'a/b c?d', 'some-text', '7', 7, true];
  const value = candidates.find((candidate) => candidate !== undefined && check.Check(candidate));
  assert.notEqual(value, undefined, `nothing fits ${name}`);
  return value;
}

/** An id of the right type that no upstream has. */
export function unknownId({ params }: Action, name: string): unknown {
  const { schema } = params[name] ?? assert.fail(name);
  return Compile(schema).Check(7) ? 999_999_999_999 : 'nothing-has-this-id';
}

/** What a record has at a dotted path. */
export function at(record: unknown, path: string): unknown {
  let value = record;
  for (const segment of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Json)[segment] : undefined;
  return value;
}

function isSomething(value: unknown): boolean {
  return typeof value === 'number' ? value > 0 : Boolean(value);
}

function singularOf(name: string): string {
  return name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.replace(/s$/, '');
}

/** Records may hold as text what the param takes as a number. */
function asParam({ params }: Action, name: string, value: unknown): unknown {
  const { schema } = params[name] ?? assert.fail(name);
  return Compile(schema).Check(value) ? value : Number(value);
}
