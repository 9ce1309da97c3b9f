import { ConnectorError } from '../errors.ts';
import {
  keyFieldOf,
  pageSizeOf,
  type ConnectorKind,
  type Entity,
  type ListAction,
} from '../vocabulary/index.ts';
import { findAction, findEntity } from './check-call.ts';
import { fullPageOf, LIMIT } from './page-limit.ts';

/** The list of an entity. */
export interface EntityList {
  readonly entity: Entity;
  readonly action: ListAction;
}

/** One page as a paging strategy sees it. */
interface WalkedPage {
  readonly params: Readonly<Record<string, unknown>>;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * The list of an entity.
 *
 * @throws `unknown_entity`; `unsupported_action` where it has none.
 */
export function findList(kind: ConnectorKind, entityName: string): EntityList {
  const action = findAction(kind, entityName, 'list');
  if (action.verb !== 'list') throw new Error(`${entityName}.list is no list action`);
  return { entity: findEntity(kind, entityName), action };
}

/** The field of its records that a list cannot go on without: those that go on after a key. */
export function pagingFieldOf({ entity, action }: EntityList): string | undefined {
  return action.paging.strategy === 'after_last_key' ? keyFieldOf(entity) : undefined;
}

/** The params of the page after `page`, or `undefined` when the list has ended. */
export function nextPageParams(
  { entity, action }: EntityList,
  page: WalkedPage,
): Readonly<Record<string, unknown>> | undefined {
  const { paging } = action;
  switch (paging.strategy) {
    case 'single':
      return undefined;
    case 'cursor': {
      const cursor = page.meta[paging.next];
      if (isCursor(cursor)) return { ...page.params, [paging.param]: cursor };
      return paging.orLink === undefined ? undefined : paramsAfter(action, page, paging.orLink);
    }
    case 'after_last_key': {
      if (isShort(action, page)) return undefined;
      const keyField = keyFieldOf(entity);
      const last = keyField === undefined ? undefined : page.records.at(-1)?.[keyField];
      if (last === undefined) return undefined;
      const next = typeof last === 'number' ? last + paging.step : last;
      return { ...page.params, [paging.param]: next };
    }
    case 'scroll': {
      if (page.records.length === 0) return undefined;
      const cursor = page.meta[paging.next];
      if (!isCursor(cursor)) throw endedEarly(entity, paging.next);
      return { ...page.params, [paging.param]: cursor };
    }
    case 'link': {
      const isEnd = paging.endsShort === true && isShort(action, page);
      return isEnd ? undefined : paramsAfter(action, page, paging.next);
    }
  }
}

/** A list to be walked. */
export interface Walk<P> extends EntityList {
  /** The product behind the list, for the error. */
  readonly displayName: string;
  /** Checked params of the caller. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly fetchPage: (params: Readonly<Record<string, unknown>>) => Promise<P>;
}

/**
 * Walks a list page by page; holds one page. Ends when the upstream says so.
 *
 * @throws `upstream_contract_broken` when the same page comes up again: going on would loop for
 * ever, and ending would pass for a whole list.
 */
export async function* walkPages<
  P extends {
    readonly data: readonly Readonly<Record<string, unknown>>[];
    readonly meta: Readonly<Record<string, unknown>>;
  },
>({ displayName, entity, action, params, fetchPage }: Walk<P>): AsyncGenerator<P, void, undefined> {
  const walked = new Set<string>();
  let next: Readonly<Record<string, unknown>> | undefined = firstPageParams(action, params);
  while (next !== undefined) {
    const position = JSON.stringify(next);
    if (walked.has(position))
      throw new ConnectorError(
        'upstream_contract_broken',
        { entity: entity.name, action: 'list' },
        { message: `${displayName} gave the same page cursor twice; the list is incomplete.` },
      );
    walked.add(position);
    const page: P = await fetchPage(next);
    yield page;
    const walkedPage = { params: next, records: page.data, meta: page.meta };
    next = nextPageParams({ entity, action }, walkedPage);
  }
}

/** The params that a walk begins with; the caller's own, and what asks for pages that go on. */
export function firstPageParams(
  { paging }: ListAction,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (paging.strategy !== 'cursor' || paging.walk === undefined) return params;
  const isChosen = [paging.param, ...paging.walk.unless].some((name) => name in params);
  return isChosen ? params : { ...params, [paging.param]: paging.walk.start };
}

/** A page that is not empty, and does not lead on. */
function endedEarly({ name }: Entity, next: string): ConnectorError {
  return new ConnectorError(
    'upstream_contract_broken',
    { entity: name, action: 'list' },
    { message: `The upstream broke a list off: a page with records came without "${next}".` },
  );
}

/** Slack ends a list with an empty cursor, others with null. */
function isCursor(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isShort({ params }: ListAction, page: WalkedPage): boolean {
  return page.records.length < fullPageOf(params, page.params);
}

/** The params of the page that the link in a Meta field leads to. */
function paramsAfter(
  action: ListAction,
  { params, meta }: WalkedPage,
  linkField: string,
): Readonly<Record<string, unknown>> | undefined {
  const link = meta[linkField];
  if (!isCursor(link)) return undefined;
  const next = { ...params, ...paramsOfLink(action, String(link)) };
  // A link has the page size by its own name; under both names it would be refused.
  const { [LIMIT]: _limit, ...withoutLimit } = next;
  const size = pageSizeOf(action.params)?.name ?? LIMIT;
  return size !== LIMIT && size in next ? withoutLimit : next;
}

/** Links may be relative; of a link only the query counts, never the host. */
const ANY_BASE = 'https://relative.invalid';

function paramsOfLink(action: ListAction, link: string): Record<string, unknown> {
  if (!URL.canParse(link, ANY_BASE))
    throw new ConnectorError(
      'upstream_contract_broken',
      { action: action.verb },
      { message: 'The upstream gave a link to the next page that is no URL.' },
    );
  const query = new URL(link, ANY_BASE).searchParams;
  const params: Record<string, unknown> = {};
  for (const [name, param] of Object.entries(action.params)) {
    const text = param.goesTo === 'nowhere' ? null : query.get(param.upstreamName ?? name);
    if (text === null) continue;
    params[name] = 'type' in param.schema && param.schema.type === 'integer' ? Number(text) : text;
  }
  return params;
}
