import type { ConnectorEngine } from '../execution/connector-engine.ts';
import type { Filter } from '../search/filter.ts';
import { searchSchemaOf } from '../search/search-schema.ts';
import {
  keyFieldOf,
  type Entity,
  type Parents,
  type Read,
  type Replicate,
} from '../vocabulary/index.ts';
import type { EntityRead, ReadRequest } from './contract.ts';
import { CopiedList } from './copied-list.ts';
import { beginningOf, DEFAULT_OVERLAP_SECONDS, writtenInstant } from './instants.ts';
import { filterOf, selectParents } from './parent-selection.ts';

/**
 * Plans how an entity is read for its copy, from its definition: all of it, or what came and changed
 * since the last complete read. A full read is due when there was none, or none of late, and where
 * the definition knows no increment. Sends nothing yet.
 *
 * @throws Error for an entity that is not copied.
 */
export function planRead(engine: ConnectorEngine, request: ReadRequest): EntityRead {
  const { entity, replicationConfig: settings, asOf } = request;
  const { replicate } = entity;
  if (replicate === undefined) throw new Error(`${entity.name} is not copied`);
  const mode = modeOf(replicate, request);
  const { increment = 'same' } = replicate;
  const read: Read = mode === 'full' || increment === 'same' ? replicate : increment;
  const { parents } = read;
  const parent = parents && parentOf(engine, parents);
  const action = read.list ?? entity.actions.list;
  if (action?.verb !== 'list') throw new Error(`${entity.name} has no list`);
  const list = new CopiedList(engine, {
    entity,
    replicate,
    read,
    action,
    params: { ...read.params, ...boundsOf(read, mode, request) },
    paramsOfNew: boundsOf(read, 'full', request),
    sentAheadFor: parent && sentAheadFor(parent, parents, settings),
  });
  return {
    mode,
    parents: parent && selectParents(parent, parents, { mode, settings, asOf }),
    ...(read.since !== undefined && parents !== undefined
      ? { recordsOf: (values) => recordsOf(entity, parents, values) }
      : {}),
    ...parentLinkOf(entity, parents, parent),
    ...hiddenFrom(list, read, { ...request, mode }),
    readPage: list.readPage,
  };
}

/**
 * By which field records name their parent: the one that is filled from the param for the parent's key; where
 * there is none, one that is filled from the param for another field that parents can be looked up by.
 */
function parentLinkOf(
  { search }: Entity,
  parents: Parents | undefined,
  parent: Entity | undefined,
): Pick<EntityRead, 'parentLink'> {
  const params = Object.entries(parents?.params ?? {});
  const filledFrom = (param: string) =>
    Object.entries(search?.fromParams ?? {}).find(([, from]) => from === param)?.[0];
  const key = parent && keyFieldOf(parent);
  const [ofKey] = params.find(([, from]) => from === key) ?? [];
  const field = ofKey === undefined ? undefined : (filledFrom(ofKey) ?? ofKey);
  if (field !== undefined)
    return search?.fields.includes(field) === true ? { parentLink: { field } } : {};
  const [link] = params.flatMap(([param, of]) => {
    const filled = filledFrom(param);
    return filled !== undefined && parent?.search?.sortable?.includes(of) === true
      ? [{ field: filled, of }]
      : [];
  });
  return link === undefined ? {} : { parentLink: link };
}

/** Finds a parent's records in the copy, by the fields that are filled from params of its list. */
function recordsOf(
  entity: Entity,
  { params }: Parents,
  parent: Readonly<Record<string, unknown>>,
): Filter {
  const types = searchSchemaOf(entity)?.byName;
  const filters = Object.entries(entity.search?.fromParams ?? {}).map(([field, param]): Filter => {
    const path = { segments: [field], type: types?.get(field)?.type };
    return { operator: 'eq', path, value: parent[params[param] ?? ''] ?? null };
  });
  return { operator: 'and', filters };
}

function modeOf(
  { increment, fullEveryHours }: Replicate,
  { startedAt, asOf, lastFullAt }: ReadRequest,
): EntityRead['mode'] {
  if (increment === undefined || asOf === null || lastFullAt === null) return 'full';
  const hours = (startedAt.getTime() - lastFullAt.getTime()) / 3_600_000;
  return hours >= fullEveryHours ? 'full' : 'increment';
}

function boundsOf(
  { since }: Read,
  mode: EntityRead['mode'],
  request: ReadRequest,
): Readonly<Record<string, number | string>> {
  const beginsMs = since && beginningOf(since, mode, request);
  if (since === undefined || beginsMs === undefined) return {};
  return { [since.param]: writtenInstant(since.as, beginsMs) };
}

/** A full read looks for it where something could leave the copy for no better reason than that it has just changed. */
function hiddenFrom(
  list: CopiedList,
  { since, parents, parts }: Read,
  { mode, hasCopy }: ReadRequest & Pick<EntityRead, 'mode'>,
): Pick<EntityRead, 'hidden'> {
  const { hiddenSeconds = 0 } = since ?? {};
  if (since === undefined || hiddenSeconds === 0) return {};
  const forMs = hiddenSeconds * 1000;
  if (mode !== 'full' || hasCopy !== true || parents !== undefined || parts !== undefined)
    return { hidden: { forMs } };
  const { overlapSeconds = DEFAULT_OVERLAP_SECONDS } = since;
  const backMs = forMs + overlapSeconds * 1000;
  const positionAfter = (askedAt: Date) =>
    list.positionFrom({ [since.param]: writtenInstant(since.as, askedAt.getTime() - backMs) });
  return { hidden: { forMs, positionAfter } };
}

function parentOf({ kind }: ConnectorEngine, { entity }: Parents): Entity {
  const parent = kind.entities[entity];
  if (parent === undefined) throw new Error(`${kind.kind} has no entity ${entity}`);
  return parent;
}

function sentAheadFor(
  parent: Entity,
  { before }: Parents,
  settings: Readonly<Record<string, unknown>>,
): Filter | undefined {
  if (before === undefined || settings[before.when] !== true) return undefined;
  return filterOf(parent, before.where, settings);
}
