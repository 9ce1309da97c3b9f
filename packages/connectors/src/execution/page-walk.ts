import { ConnectorError } from '../errors.ts';
import type { Entity, ListAction } from '../vocabulary/index.ts';

/** One page as a paging strategy sees it. */
interface WalkedPage {
  readonly params: Readonly<Record<string, unknown>>;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * The params of the page after `page`, or `undefined` when the list has ended.
 *
 * @param keyField The field that identifies a record, for strategies that go on after a key.
 */
export function nextPageParams(
  action: ListAction,
  page: WalkedPage,
  keyField: string | undefined,
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
      if (isShort(page, paging)) return undefined;
      const last = keyField === undefined ? undefined : page.records.at(-1)?.[keyField];
      if (last === undefined) return undefined;
      const next = typeof last === 'number' ? last + paging.step : last;
      return { ...page.params, [paging.param]: next };
    }
    case 'link': {
      return isShort(page, paging) ? undefined : paramsAfter(action, page, paging.next);
    }
  }
}

/** A list to be walked. */
export interface Walk<P> {
  /** The product behind the list, for the error. */
  readonly displayName: string;
  readonly entity: Entity;
  readonly action: ListAction;
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
  const keyField = entity.key.length === 1 ? entity.key[0] : undefined;
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
    next = nextPageParams(action, { params: next, records: page.data, meta: page.meta }, keyField);
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

/** Slack ends a list with an empty cursor, others with null. */
function isCursor(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isShort(
  page: WalkedPage,
  size: { readonly sizeParam?: string; readonly defaultSize?: number },
): boolean {
  if (size.sizeParam === undefined) return false;
  const asked = Number(page.params[size.sizeParam] ?? size.defaultSize);
  return page.records.length < asked;
}

/** The params of the page that the link in a Meta field leads to. */
function paramsAfter(
  action: ListAction,
  { params, meta }: WalkedPage,
  linkField: string,
): Readonly<Record<string, unknown>> | undefined {
  const link = meta[linkField];
  return isCursor(link) ? { ...params, ...paramsOfLink(action, String(link)) } : undefined;
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
    const text = query.get(param.upstreamName ?? name);
    if (text === null) continue;
    params[name] = 'type' in param.schema && param.schema.type === 'integer' ? Number(text) : text;
  }
  return params;
}
