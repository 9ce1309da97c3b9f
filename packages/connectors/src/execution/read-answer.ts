import type { ConnectorError } from '../errors.ts';
import { isJsonObject } from '../json-value.ts';
import { knownFieldsOf, type BodyPath, type Entity, type ListAction } from '../vocabulary/index.ts';
import type { Warning } from '../warning.ts';
import { valueAt } from './body-path.ts';
import { countItemValues } from './count-items.ts';
import { contractBroken, type Operation } from './judge.ts';
import { notApplied } from './page-limit.ts';
import { nextParams } from './page-walk.ts';
import {
  compileProjection,
  projectValue,
  type Drift,
  type ProjectedRecord,
  type Projection,
} from './projection.ts';
import { withoutSecrets, type Secret } from './secret.ts';

/** A page of a list, untyped. */
export interface Page {
  readonly data: readonly ProjectedRecord[];
  readonly meta: Readonly<Record<string, unknown>>;
  /** What to merge into the params for the page after it; null at the end of the list. */
  readonly nextParams: Readonly<Record<string, unknown>> | null;
  /** What the caller should know although the call went well; mostly nothing. */
  readonly warnings: readonly Warning[];
}

/** A page of a list as the upstream sent it. */
export interface RawPage {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** Params of the page after it; `undefined` at the end of the list. */
  readonly next: Readonly<Record<string, unknown>> | undefined;
  /** All of the answer, parsed. */
  readonly body: unknown;
  /** Takes the credentials of the call out of a text of the answer that is shown. */
  readonly redact: (text: string) => string;
}

/** What an answer is read for. */
export interface AnsweredCall {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, unknown>>;
  /** What checking the params found. */
  readonly warnings: readonly Warning[];
  /** Takes what the definition does not know. */
  readonly drift: Drift;
  /** As in `UpstreamCall`. */
  readonly signedWith: readonly Secret[];
}

export function pageOf(call: AnsweredCall, action: ListAction, body: unknown): Page {
  const { drift, params, warnings } = call;
  const { entity } = call.operation;
  const project = projectionOf(entity);
  const raw = rawRecordsOf(call, action, body);
  const data = raw.map((record) => checkKey(call, project(record, drift)));
  const meta = metaOf(call, action, { body, pageLength: data.length });
  const next = nextParams({ entity, action }, { params, records: data, meta, body });
  // Upstreams end a list in ways of their own: an empty cursor, a short page with a link.
  if ('next' in action.paging && next === null) meta[action.paging.next] = null;
  const late = notApplied(action.params, params, data.length);
  return { data, meta, nextParams: next, warnings: [...warnings, ...late] };
}

export function rawPageOf(call: AnsweredCall, action: ListAction, body: unknown): RawPage {
  const { operation, params, signedWith } = call;
  const { entity } = operation;
  const records = rawRecordsOf(call, action, body);
  const meta = metaOf(call, action, { body, pageLength: records.length });
  const next = nextParams({ entity, action }, { params, records, meta, body });
  return {
    records,
    next: next === null ? undefined : { ...params, ...next },
    body,
    redact: (text) => withoutSecrets(signedWith, text),
  };
}

/** More in one answer is no page of any upstream: made into records, they would take many times the memory of the answer. */
export const MAX_PAGE_RECORDS = 100_000;
/** Likewise of the objects within records, attachments for instance: more than the largest answer has, however small they are. */
export const MAX_ITEM_VALUES = 4_000_000;

function tooManyItems(operation: Operation): ConnectorError {
  const most = MAX_ITEM_VALUES.toLocaleString('en');
  return contractBroken(
    operation,
    `the objects within its records have more than ${most} values; ask for fewer records at once`,
  );
}

function rawRecordsOf(
  { operation }: AnsweredCall,
  action: ListAction,
  body: unknown,
): readonly Readonly<Record<string, unknown>>[] {
  const raw = valueAt(body, action.records);
  if (!Array.isArray(raw))
    throw contractBroken(operation, `"${action.records}" is not an array of records`);
  if (raw.length > MAX_PAGE_RECORDS)
    throw contractBroken(operation, `a page has more than ${MAX_PAGE_RECORDS} records`);
  let itemValues = 0;
  return raw.map((record: unknown) => {
    if (!isJsonObject(record)) throw contractBroken(operation, 'a record is not an object');
    itemValues += countItemValues(operation.entity.record, record);
    if (itemValues > MAX_ITEM_VALUES) throw tooManyItems(operation);
    return record;
  });
}

function metaOf(
  { drift }: AnsweredCall,
  action: ListAction,
  { body, pageLength }: { readonly body: unknown; readonly pageLength: number },
): Record<string, unknown> {
  const meta: Record<string, unknown> = {};
  for (const [name, { field, from, orElse }] of Object.entries(action.meta)) {
    const value = projectValue(field, valueAt(body, from), drift);
    meta[name] = value ?? (orElse === 'page_length' ? pageLength : null);
  }
  return meta;
}

/**
 * What the body of a single answer has as its record. Below a key of its own some upstreams put it
 * into an array of one.
 */
export function recordAt(body: unknown, path: BodyPath): unknown {
  const found = valueAt(body, path);
  return path !== '$' && Array.isArray(found) && found.length === 1 ? found[0] : found;
}

export function recordOf(call: AnsweredCall, raw: unknown): ProjectedRecord {
  if (!isJsonObject(raw)) throw contractBroken(call.operation, 'it holds no record');
  if (countItemValues(call.operation.entity.record, raw) > MAX_ITEM_VALUES)
    throw tooManyItems(call.operation);
  return checkKey(call, projectionOf(call.operation.entity)(raw, call.drift));
}

/** A record without its key, or without another field that is always there, is no record. */
function checkKey(call: AnsweredCall, record: ProjectedRecord): ProjectedRecord {
  for (const name of alwaysFieldsOf(call.operation.entity))
    if (record[name] === null)
      throw contractBroken(call.operation, `a record has no usable "${name}"`);
  return record;
}

export function hasKey({ key }: Entity, raw: Readonly<Record<string, unknown>>): boolean {
  return key.every((name) => name.startsWith('params.') || (raw[name] ?? null) !== null);
}

const projections = new WeakMap<Entity, Projection>();

function projectionOf(entity: Entity): Projection {
  let projection = projections.get(entity);
  if (projection === undefined) {
    projection = compileProjection(entity.record, knownFieldsOf(entity));
    projections.set(entity, projection);
  }
  return projection;
}

const alwaysFields = new WeakMap<Entity, readonly string[]>();

function alwaysFieldsOf(entity: Entity): readonly string[] {
  let names = alwaysFields.get(entity);
  if (names === undefined) {
    names = Object.entries(entity.record)
      .filter(([, field]) => field['x-always'])
      .map(([name]) => name);
    alwaysFields.set(entity, names);
  }
  return names;
}
