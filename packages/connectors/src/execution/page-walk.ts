import { ConnectorError } from '../errors.ts';
import { asInteger } from '../scalars.ts';
import {
  keyFieldOf,
  type ConnectorKind,
  type Entity,
  type ListAction,
  type Paging,
  type Param,
} from '../vocabulary/index.ts';
import { valueAt } from './body-path.ts';
import { findAction, findEntity } from './check-call.ts';
import { FruitlessPages, keyInWalk } from './fruitless-pages.ts';
import { fullPageOf } from './page-limit.ts';

type Values = Readonly<Record<string, unknown>>;

/** The list of an entity. */
export interface EntityList {
  readonly entity: Entity;
  readonly action: ListAction;
}

/** One page as a paging strategy sees it. */
interface WalkedPage {
  /** What it was asked for by, checked. */
  readonly params: Values;
  readonly records: readonly Values[];
  readonly meta: Values;
  /** What has them, where that is not a service's page, which has been judged already. */
  readonly body?: unknown;
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

/**
 * What to merge into the params of a page, or into those of the first one, for the page after it: only
 * what changes, and what says where that page is only together with it, each value of the type of its
 * param. Never the size of a page, which is the caller's; null at the end of the list, and only there:
 * where the upstream leads back to the page itself, merging it changes nothing.
 *
 * @throws `upstream_contract_broken` where the upstream leads nowhere.
 */
export function nextParams(list: EntityList, page: WalkedPage): Values | null {
  const next = placeAfter(list, page);
  const { params, paging } = list.action;
  if (next === undefined) {
    if ('next' in paging && saysMore(paging, page)) throw endedEarly(list.entity, paging.next);
    return null;
  }
  const isChanged = ([name, value]: readonly [string, unknown]) =>
    String(page.params[name] ?? params[name]?.default) !== String(value);
  const all = Object.entries(next);
  // The cursor of a scroll may stay the same, and keep the place; any other such list never ends. Its
  // page is good all the same, and null would pass for the end.
  if (!all.some(isChanged)) return next;
  // Half a place, merged into the params of the first page, would be one that the list has been at.
  const isOfPlace = (name: string) => 'place' in paging && paging.place?.includes(name) === true;
  return Object.fromEntries(all.filter((each) => isChanged(each) || isOfPlace(each[0])));
}

/** The params that say where the page after `page` is; `undefined` when the list has ended. */
function placeAfter({ entity, action }: EntityList, page: WalkedPage): Values | undefined {
  const { paging } = action;
  switch (paging.strategy) {
    case 'single':
      return undefined;
    case 'cursor': {
      const cursor = page.meta[paging.next];
      if (isCursor(cursor)) return { [paging.param]: cursor };
      return paging.orLink === undefined ? undefined : placeOfLink(action, page, paging.orLink);
    }
    case 'after_last_key': {
      if (isShort(action, page)) return undefined;
      const keyField = keyFieldOf(entity);
      const last = keyField === undefined ? undefined : page.records.at(-1)?.[keyField];
      if (last === undefined) return undefined;
      return { [paging.param]: typeof last === 'number' ? last + paging.step : last };
    }
    case 'scroll': {
      if (page.records.length === 0) return undefined;
      const cursor = page.meta[paging.next];
      if (!isCursor(cursor)) throw endedEarly(entity, paging.next);
      return { [paging.param]: cursor };
    }
    case 'link': {
      const isEnd = paging.endsShort === true && isShort(action, page);
      return isEnd ? undefined : placeOfLink(action, page, paging.next);
    }
  }
}

/** A list to be walked. */
export interface Walk<P> {
  /** The product behind the list, and the list, for the error. */
  readonly displayName: string;
  readonly entity: string;
  /** What identifies its records, as entities have it; nothing where that is not known. */
  readonly key: readonly string[];
  /** The params of the first page. */
  readonly params: Values;
  readonly fetchPage: (params: Values) => Promise<P>;
}

/** What a walk has to know of a page. */
interface PageOfWalk {
  readonly data: readonly Values[];
  readonly nextParams: Values | null;
}

/**
 * Walks a list page by page, as each page says it goes on; holds one page.
 *
 * @throws `upstream_contract_broken` when the same page comes up again, or a great many in a row bring
 * no new record: going on would loop for ever, and ending would pass for a whole list.
 */
export async function* walkPages<P extends PageOfWalk>({
  displayName,
  entity,
  key,
  params,
  fetchPage,
}: Walk<P>): AsyncGenerator<P, void, undefined> {
  const walked = new Set<string>();
  const fruitless = new FruitlessPages();
  for (let next = params; ;) {
    const position = JSON.stringify(next);
    if (walked.has(position))
      throw new ConnectorError(
        'upstream_contract_broken',
        { entity, action: 'list' },
        { message: `${displayName} gave the same page cursor twice; the list is incomplete.` },
      );
    walked.add(position);
    const page: P = await fetchPage(next);
    yield page;
    if (page.nextParams === null) return;
    const keys = page.data.map((record) => keyInWalk(key, record));
    fruitless.check(keys, { displayName, entity });
    next = { ...next, ...page.nextParams };
  }
}

/** The params that a walk begins with; the caller's own, and what asks for pages that go on. */
export function firstPageParams({ paging }: ListAction, params: Values): Values {
  if (paging.strategy !== 'cursor' || paging.walk === undefined) return params;
  const isChosen = [paging.param, ...paging.walk.unless].some((name) => name in params);
  return isChosen ? params : { ...params, [paging.param]: paging.walk.start };
}

function saysMore(paging: Paging, { body }: WalkedPage): boolean {
  const more = 'more' in paging ? paging.more : undefined;
  return more !== undefined && valueAt(body, more.at) === more.is;
}

/** A page after which there is more, and which does not lead on. */
function endedEarly({ name }: Entity, next: string): ConnectorError {
  return new ConnectorError(
    'upstream_contract_broken',
    { entity: name, action: 'list' },
    {
      message: `The upstream broke a list off: a page that is not its last came without "${next}".`,
    },
  );
}

/** Characters of a cursor, or of a link to the next page: no server takes an address that is longer. */
const MAX_CURSOR = 4_096;

/**
 * Slack ends a list with an empty cursor, others with null.
 *
 * @throws `upstream_contract_broken` for one that is too long.
 */
function isCursor(value: unknown): boolean {
  if (typeof value === 'string' && value.length > MAX_CURSOR)
    throw new ConnectorError(
      'upstream_contract_broken',
      { action: 'list' },
      {
        message: `The upstream gave a page cursor of ${value.length} characters; at most ${MAX_CURSOR} are taken.`,
      },
    );
  return value !== undefined && value !== null && value !== '';
}

function isShort({ params }: ListAction, page: WalkedPage): boolean {
  return page.records.length < fullPageOf(params, page.params);
}

/** Links may be relative; of a link only the query counts, never the host. */
const ANY_BASE = 'https://relative.invalid';

/** What the query of the link in a Meta field says, but for the size of a page. */
function placeOfLink(action: ListAction, { meta }: WalkedPage, field: string): Values | undefined {
  const link = meta[field];
  if (!isCursor(link)) return undefined;
  if (!URL.canParse(String(link), ANY_BASE)) throw unusableLink('is no URL');
  const query = new URL(String(link), ANY_BASE).searchParams;
  return Object.fromEntries(
    Object.entries(action.params)
      .filter(([, { goesTo, role }]) => goesTo !== 'nowhere' && role === undefined)
      .map(([name, param]) => [name, param, query.get(param.upstreamName ?? name)] as const)
      .flatMap(([name, param, text]) =>
        text === null ? [] : [[name, asParam(name, param, text)]],
      ),
  );
}

/** A text of a query as the type of its param. */
function asParam(name: string, { schema }: Param, text: string): unknown {
  const type = 'type' in schema ? schema.type : undefined;
  const value = type === 'integer' ? asInteger(text) : type === 'boolean' ? BOOLEANS[text] : text;
  if (value === undefined) throw unusableLink(`has no ${String(type)} as "${name}"`);
  return value;
}

const BOOLEANS: Readonly<Record<string, boolean | undefined>> = { true: true, false: false };

function unusableLink(why: string): ConnectorError {
  return new ConnectorError(
    'upstream_contract_broken',
    { action: 'list' },
    { message: `The upstream gave a link to the next page that ${why}.` },
  );
}
