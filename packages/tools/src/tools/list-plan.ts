import type { ActionDescription, KindDescription } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';

/** Records a page where the caller states no number. */
export const DEFAULT_PAGE_SIZE = 25;

/** Every list takes its page size by this name too. */
const LIMIT = 'limit';
/** The number of a page, where pages have numbers; what is on it depends on their size. */
const NUMBER_PARAM = 'page';

/** How a page of a list is asked for. */
export interface ListPlan {
  /** The params to send: the given ones, and a size where the list takes one. */
  readonly params: JsonObject;
  /** Whether the caller said how many records a page shall have. */
  readonly isSizeGiven: boolean;
  /** The params of at most the first `size` records of the page; `undefined` where there are none. */
  readonly shorter: (size: number) => JsonObject | undefined;
}

/** Plans one page of a list. */
export function planList(
  description: KindDescription,
  entityName: string,
  given: JsonObject,
): ListPlan {
  const described = description.entities
    .find(({ name }) => name === entityName)
    ?.actions.find(({ name }) => name === 'list');
  const stated = withoutNulls(given);
  const ownName = described === undefined ? undefined : sizeParamOf(described);
  const sizeParam = ownName !== undefined && LIMIT in stated ? LIMIT : ownName;
  const params = withSize(stated, described, sizeParam);
  const isSizeGiven = LIMIT in stated || (ownName !== undefined && ownName in stated);
  return { params, isSizeGiven, shorter: (size) => shorterPage(params, sizeParam, size) };
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
