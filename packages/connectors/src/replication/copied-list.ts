import { isJsonObject } from '../json-value.ts';
import { ConnectorError, isConnectorError } from '../errors.ts';
import type { ConnectorEngine, WatchedCallOptions } from '../execution/connector-engine.ts';
import { valueAt } from '../execution/body-path.ts';
import { FruitlessPages } from '../execution/fruitless-pages.ts';
import { firstPageParams } from '../execution/page-walk.ts';
import type { RawPage } from '../execution/read-answer.ts';
import { matches } from '../search/evaluate.ts';
import type { Filter } from '../search/filter.ts';
import type {
  CallOptions,
  Entity,
  ListAction,
  Parents,
  Read,
  Replicate,
} from '../vocabulary/index.ts';
import type { CopiedRecord, EntityRead, ReadPage } from './contract.ts';
import { copiedRecord, isKeyCopied, recordKey } from './copied-record.ts';
import { countLost, driftOf, newDriftCount } from './copy-drift.ts';
import { WalkedPositions } from './walked-positions.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a list is read by, all of it known before the first page. */
export interface ListParts {
  readonly entity: Entity;
  readonly replicate: Replicate;
  readonly read: Read;
  readonly action: ListAction;
  /** Params of every page; those of the parent and of the part are added to them. */
  readonly params: JsonObject;
  /** Params that replace some of those where a list is read for the first time. */
  readonly paramsOfNew: JsonObject;
  /** The parents before whose lists something is sent, such as joining a channel. */
  readonly sentAheadFor: Filter | undefined;
}

/** A list that is read for a copy, or one for each parent. */
export class CopiedList {
  readonly #engine: ConnectorEngine;
  readonly #parts: ListParts;
  readonly #walked = new WalkedPositions();
  /** Of the list that is read in place of one that ends early: its cursor may stay the same. */
  readonly #fruitlessBeyond = new FruitlessPages();

  constructor(engine: ConnectorEngine, parts: ListParts) {
    this.#engine = engine;
    this.#parts = parts;
  }

  /** As `EntityRead` has it. */
  readonly readPage: EntityRead['readPage'] = async (at, options) => {
    const background = { ...options, priority: options?.priority ?? 'background' } as const;
    if (isBeyond(at.position)) return this.#readBeyond(at.position, background);
    const params = this.#paramsAt(at);
    try {
      if (at.position === null) await this.#sendAhead(at.parent, background);
      const { entity, action } = this.#parts;
      const page = await this.#engine.readPage({ entity, action, params }, background);
      if (this.#isTooLong(page.body)) return { ...this.#recordsOf(page, params), next: BEYOND };
      const next = page.next ?? this.#firstOfNextPart(params);
      const records = this.#recordsOf(page, params);
      this.#checkWalk(at.parent, { here: params, next, keys: keysOf(records) });
      return { ...records, next: positionOf(next) };
    } catch (error) {
      if (this.#isRefusal(error)) return this.#refused(error);
      if (this.#isRefusedPart(error, params))
        return { records: [], next: positionOf(this.#firstOfNextPart(params)) };
      if (at.position === null) throw error;
      const isRejected = isConnectorError(error, 'upstream_rejected');
      if (isRejected && this.#parts.read.beyond !== undefined) return { records: [], next: BEYOND };
      throw asInvalidCursor(error, this.#parts.entity);
    }
  };

  /** The beginning of the list with other params, as a position. */
  positionFrom(params: JsonObject): unknown {
    return positionOf(this.#firstParams(params));
  }

  /** A page of the list that is read in place of one that ends early. */
  async #readBeyond({ beyond: params }: Beyond, options: WatchedCallOptions): Promise<ReadPage> {
    const { entity, read } = this.#parts;
    const action = read.beyond?.list;
    if (action === undefined) throw noPosition(entity);
    try {
      const page = await this.#engine.readPage({ entity, action, params }, options);
      const records = this.#recordsOf(page, params);
      if (page.next === undefined) return { ...records, next: null };
      const { displayName } = this.#engine.kind;
      this.#fruitlessBeyond.check(keysOf(records), { displayName, entity: entity.name });
      const next: Beyond = { beyond: page.next };
      return { ...records, next, resumeAt: BEYOND };
    } catch (error) {
      if (Object.keys(params).length > 0) throw asInvalidCursor(error, entity);
      throw this.#isTaken(error, action) ? this.#takenBy(error) : error;
    }
  }

  #isTooLong(body: unknown): boolean {
    const { beyond } = this.#parts.read;
    if (beyond === undefined) return false;
    const total = valueAt(body, beyond.total);
    return typeof total === 'number' && total >= beyond.most;
  }

  #isTaken(error: unknown, { paging }: ListAction): error is ConnectorError {
    return paging.strategy === 'scroll' && hasCode(error, [paging.taken]);
  }

  /** What another walk keeps us from is free again when that ends, or is left alone. */
  #takenBy(error: ConnectorError): ConnectorError {
    const { entity } = this.#parts;
    const { displayName } = this.#engine.kind;
    return new ConnectorError(
      'upstream_unavailable',
      { ...error.details, entity: entity.name, action: 'list' },
      {
        message: `${displayName} lets all ${entity.name} be read by one program at a time, and another one is at it, or has left off in the middle. This read waits for it.`,
        cause: error,
      },
    );
  }

  #paramsAt({ parent, position, isNew }: Parameters<EntityRead['readPage']>[0]): JsonObject {
    if (position !== null) return paramsIn(position, this.#parts.entity);
    const { read } = this.#parts;
    return this.#firstParams({
      ...(read.parts === undefined ? {} : { [read.parts.param]: read.parts.values[0] }),
      ...paramsOfParent(read.parents, parent),
      ...(isNew === true ? this.#parts.paramsOfNew : {}),
    });
  }

  #firstParams(further: JsonObject): JsonObject {
    const { action, params } = this.#parts;
    return firstPageParams(action, { ...params, ...further });
  }

  /** The params that the list of the next part begins with; `undefined` after the last part. */
  #firstOfNextPart(params: JsonObject): JsonObject | undefined {
    const { parts } = this.#parts.read;
    if (parts === undefined) return undefined;
    const at = parts.values.findIndex((each) => each === params[parts.param]);
    const value = parts.values[at + 1];
    return value === undefined ? undefined : this.#firstParams({ [parts.param]: value });
  }

  /** What is refused here may be readable all the same, as public channels are to users' tokens: the list itself tells. */
  async #sendAhead(parent: JsonObject | undefined, options: CallOptions): Promise<void> {
    const { entity, read, sentAheadFor } = this.#parts;
    const { before } = read.parents ?? {};
    if (before === undefined || sentAheadFor === undefined || parent === undefined) return;
    if (!matches(sentAheadFor, parent)) return;
    const params = paramsOfParent(read.parents, parent);
    try {
      await this.#engine.readNothing({ entity, action: before.action, params }, options);
    } catch (error) {
      if (!this.#isRefusal(error) && !isConnectorError(error, 'upstream_forbidden')) throw error;
    }
  }

  #checkWalk(parent: JsonObject | undefined, page: Parameters<WalkedPositions['check']>[1]): void {
    const { entity, read } = this.#parts;
    const { displayName } = this.#engine.kind;
    const list = JSON.stringify(paramsOfParent(read.parents, parent));
    this.#walked.check({ list, displayName, entity }, page);
  }

  #recordsOf(
    page: RawPage,
    params: JsonObject,
  ): Pick<ReadPage, 'records' | 'deletedKeys' | 'drift'> {
    const { entity, replicate } = this.#parts;
    const count = newDriftCount();
    const records: CopiedRecord[] = [];
    const deletedKeys: string[] = [];
    for (const each of page.records) {
      if (isDeleted(replicate, each)) {
        const key = recordKey(entity, each, params);
        if (key !== undefined && isKeyCopied(key)) deletedKeys.push(key);
        continue;
      }
      const record = copiedRecord(entity, each, { params, drift: count });
      if (record === undefined) throw this.#withoutKey();
      if (isKeyCopied(record.key)) records.push(record);
      else countLost(count, entity.key);
    }
    const drift = driftOf(count, page.redact);
    return {
      records,
      ...(deletedKeys.length === 0 ? {} : { deletedKeys }),
      ...(drift === undefined ? {} : { drift }),
    };
  }

  #withoutKey(): ConnectorError {
    const { entity } = this.#parts;
    const { displayName } = this.#engine.kind;
    return new ConnectorError(
      'upstream_contract_broken',
      { entity: entity.name, action: 'list' },
      { message: `${displayName} sent a record without a usable key (${entity.key.join(', ')}).` },
    );
  }

  /** An upstream code may stand for more than that a record is not there, as that of a channel out of reach does. */
  #refused(error: unknown): ReadPage {
    const gone = 'record_not_found';
    const { refusals = [] } = this.#parts.read.parents ?? {};
    const isGone = refusals.includes(gone) && isConnectorError(error, gone);
    return { records: [], next: null, isRefused: true, ...(isGone ? { isGone } : {}) };
  }

  #isRefusal(error: unknown): boolean {
    return hasCode(error, this.#parts.read.parents?.refusals);
  }

  /** The first part has to be readable: without it nobody could tell a refusal from emptiness. */
  #isRefusedPart(error: unknown, params: JsonObject): boolean {
    const { parts } = this.#parts.read;
    if (parts === undefined || params[parts.param] === parts.values[0]) return false;
    return hasCode(error, parts.refusals);
  }
}

function paramsOfParent(
  parents: Parents | undefined,
  parent: JsonObject | undefined,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parents?.params ?? {});
  return Object.fromEntries(entries.map(([name, field]) => [name, parent?.[field] ?? undefined]));
}

function isDeleted({ deleted }: Replicate, raw: JsonObject): boolean {
  if (deleted === undefined) return false;
  const value = raw[deleted.field] ?? null;
  return deleted.is === undefined ? value !== null : value === deleted.is;
}

/** Also of records that have been deleted: they are news. */
function keysOf({
  records,
  deletedKeys = [],
}: Pick<ReadPage, 'records' | 'deletedKeys'>): readonly string[] {
  return [...records.map(({ key }) => key), ...deletedKeys];
}

function hasCode(error: unknown, codes: readonly string[] | undefined): boolean {
  if (codes === undefined || !isConnectorError(error)) return false;
  const upstreamCode = 'upstreamCode' in error.details ? error.details.upstreamCode : undefined;
  return codes.some((code) => code === error.code || code === upstreamCode);
}

function positionOf(params: JsonObject | undefined): unknown {
  return params === undefined ? null : { params };
}

/** A position in the list that is read in place of one that ends early: the params of its next page. */
interface Beyond {
  readonly beyond: JsonObject;
}

/** The beginning of that list. */
const BEYOND: Beyond = { beyond: {} };

function isBeyond(position: unknown): position is Beyond {
  return isJsonObject(position) && isJsonObject(position['beyond']);
}

/** @throws `invalid_cursor` for a position that is none of ours. */
function paramsIn(position: unknown, entity: Entity): JsonObject {
  if (isJsonObject(position) && isJsonObject(position['params'])) return position['params'];
  throw noPosition(entity);
}

function noPosition({ name }: Entity): ConnectorError<'invalid_cursor'> {
  return new ConnectorError(
    'invalid_cursor',
    { entity: name, action: 'list' },
    { message: 'The stored position is not one of a list.' },
  );
}

/**
 * The first page came with the same params but the cursor: what an upstream refuses at a later one is
 * the cursor, by whatever code.
 */
function asInvalidCursor(error: unknown, { name }: Entity): unknown {
  if (!isConnectorError(error, 'upstream_rejected')) return error;
  return new ConnectorError(
    'invalid_cursor',
    { ...error.details, entity: name, action: 'list' },
    { message: `The list cannot go on where it was left: ${error.message}`, cause: error },
  );
}
