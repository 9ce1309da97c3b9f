import { ConnectorError } from '../errors.ts';
import type { ListAction } from '../vocabulary/index.ts';

/** One page as a paging strategy sees it. */
export interface WalkedPage {
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
