import {
  allKinds,
  isConnectorError,
  nextPageParams,
  pagingFieldOf,
  type ActionDescription,
  type EntityList,
  type KindDescription,
} from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';

/** Records a page where the caller states no number. */
export const DEFAULT_PAGE_SIZE = 25;

/** Every list takes its page size by this name too. */
const LIMIT = 'limit';
/** The number of a page, where pages have numbers; what is on it depends on their size. */
const NUMBER_PARAM = 'page';

/** How a list is asked for, and how it goes on. */
export interface ListPlan {
  /** The params to send: the given ones, and a size where the list takes one. */
  readonly params: JsonObject;
  /** The fields to ask for, which may be one more than the caller wants. */
  readonly selectFields: readonly string[] | undefined;
  /** Takes out what only the plan needed. */
  readonly strip: (record: JsonObject) => JsonObject;
  /** The param that says how many records a page has. */
  readonly sizeParam: string | undefined;
  /** The params of at most the first `size` records of the page; `undefined` where there are none. */
  readonly shorter: (size: number) => JsonObject | undefined;
  /**
   * The params of the page after the one that `params` brought: null at the end of the list, and
   * `undefined` where only the Meta fields can tell.
   */
  readonly next: (
    params: JsonObject,
    page: { readonly records: readonly JsonObject[]; readonly meta: JsonObject },
  ) => JsonObject | null | undefined;
}

/** Plans one page of a list. */
export function planList(
  description: KindDescription,
  entityName: string,
  given: { readonly params: JsonObject; readonly selectFields: readonly string[] | undefined },
): ListPlan {
  const described = description.entities
    .find(({ name }) => name === entityName)
    ?.actions.find(({ name }) => name === 'list');
  const stated = withoutNulls(given.params);
  const ownName = described === undefined ? undefined : sizeParamOf(described);
  const sizeParam = ownName !== undefined && LIMIT in stated ? LIMIT : ownName;
  const params = withSize(stated, described, sizeParam);
  const definition = findKnownList(description.kind, entityName);
  const keyField = definition && pagingFieldOf(definition);
  const needsKey =
    keyField !== undefined &&
    given.selectFields !== undefined &&
    given.selectFields.length > 0 &&
    !given.selectFields.includes(keyField);
  return {
    params,
    sizeParam,
    selectFields: needsKey ? [...given.selectFields, keyField] : given.selectFields,
    strip: (record) => (needsKey ? without(record, keyField) : record),
    shorter: (size) => shorterPage(params, sizeParam, size),
    next: (sent, page) =>
      definition === undefined ? undefined : nextParams(definition, { ...page, params: sent }),
  };
}

/** A null param is an absent one. */
function withoutNulls(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => (value ?? null) !== null));
}

function shorterPage(
  params: JsonObject,
  sizeParam: string | undefined,
  size: number,
): JsonObject | undefined {
  if (sizeParam === undefined) return undefined;
  const { [NUMBER_PARAM]: number, [sizeParam]: oldSize } = params;
  if (number === undefined) return { ...params, [sizeParam]: size };
  if (typeof number !== 'number' || typeof oldSize !== 'number') return undefined;
  // Only a page whose size divides that of the old one can begin where the old one does.
  let newSize = size;
  while (oldSize % newSize !== 0) newSize -= 1;
  const newNumber = (number - 1) * (oldSize / newSize) + 1;
  return { ...params, [sizeParam]: newSize, [NUMBER_PARAM]: newNumber };
}

function nextParams(
  list: EntityList,
  page: Parameters<typeof nextPageParams>[1],
): JsonObject | null | undefined {
  try {
    return nextPageParams(list, page) ?? null;
  } catch (error) {
    // A link that leads nowhere spoils the next page, not this one.
    if (isConnectorError(error, 'upstream_contract_broken')) return undefined;
    throw error;
  }
}

/** The page size by the list's own name; a `limit` beyond the reference is only the common one. */
export function sizeParamOf({ params }: ActionDescription): string | undefined {
  const sizes = params.filter(({ name }) => name === LIMIT || name === 'per_page');
  return sizes.find(({ name, extension }) => name !== LIMIT || extension !== true)?.name;
}

function withSize(
  params: JsonObject,
  list: ActionDescription | undefined,
  sizeParam: string | undefined,
): JsonObject {
  if (sizeParam === undefined || sizeParam in params) return params;
  const { maximum } = (list?.params.find(({ name }) => name === sizeParam)?.schema ?? {}) as {
    readonly maximum?: unknown;
  };
  const largest = typeof maximum === 'number' ? maximum : DEFAULT_PAGE_SIZE;
  return { ...params, [sizeParam]: Math.min(DEFAULT_PAGE_SIZE, largest) };
}

/** The list as this version defines it; services may know more kinds. */
function findKnownList(kindName: string, entityName: string): EntityList | undefined {
  const kind = allKinds().find((each) => each.kind === kindName);
  const entity = Object.values(kind?.entities ?? {}).find(({ name }) => name === entityName);
  const action = Object.values(entity?.actions ?? {}).find(({ verb }) => verb === 'list');
  return entity === undefined || action?.verb !== 'list' ? undefined : { entity, action };
}

function without(record: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== name));
}
