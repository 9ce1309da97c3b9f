import { isJsonObject, mapRecordsIn, withArrays, withUnknownFields } from '../body-shaping.ts';
import type { JsonBody } from '../body-shaping.ts';
import type { Shaping } from '../fault-board.ts';
import { injectedError } from '../injected-error.ts';
import { MinuteWindows } from '../minute-windows.ts';
import type { WindowState } from '../minute-windows.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { LiveToken } from '../oauth/grant-book.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { SupportAccount } from './account.ts';
import type { Collection, ZendeskRecord } from './collection.ts';
import { checkCredential, readCredential } from './credentials.ts';
import type { Credential } from './credentials.ts';
import type { Endpoint, EndpointCall, ExportEndpoint, ListEndpoint } from './endpoint.ts';
import { SUPPORT_ENDPOINTS, SUPPORT_RECORD_FIELDS } from './endpoints.ts';
import { EXPORT_ORDERS, exportPage } from './exports.ts';
import type { Order } from './order.ts';
import { cursorPage, offsetPage, refuseCursor, wantsCursor, wholePage } from './paging.ts';
import type { Page } from './paging.ts';
import { Parameters } from './parameters.ts';
import { matchPath } from './paths.ts';
import {
  invalidAttribute,
  invalidEndpoint,
  recordNotFound,
  refusalOf,
  SupportError,
} from './support-error.ts';
import type { SupportWorld } from './world.ts';

/** How the simulated Zendesk Support is set up. */
export interface SupportApiOptions {
  readonly basePath: string;
  readonly world: SupportWorld;
  readonly server: AuthorizationServer;
  readonly limits: 'off' | 'vendor';
  readonly clock: () => number;
}

/** A call read from a request; without an endpoint where the path is unknown. */
export interface SupportCall extends UpstreamCall {
  readonly template: string;
  readonly endpoint: Endpoint | undefined;
  readonly ids: readonly string[];
  readonly credential: Credential | undefined;
  readonly parameters: Parameters;
  readonly path: string;
  readonly query: string;
}

/** A page of a list, ready to be written. */
interface ListAnswer {
  /** The field that has the records. */
  readonly field: string;
  readonly recordAt: (position: number) => ZendeskRecord;
  /** The name under which the collection is kept once the fault `mutateWhilePaging` changed it. */
  readonly key: string;
  readonly collection: Collection;
  readonly order: Order;
  readonly page: Page;
}

/** Requests a minute, as on the Professional plan; the list of tickets has a limit of its own. */
const ACCOUNT_LIMIT = 700;
const TICKETS_INDEX_LIMIT = 100;
/** Requests a minute to all exports together. */
const EXPORT_LIMIT = 10;
const COMMA = Buffer.from(',');
const mapRecords = mapRecordsIn(SUPPORT_RECORD_FIELDS);

/**
 * The read-only part of Zendesk's Ticketing and Help Center APIs that `SUPPORT_ENDPOINTS` lists.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/introduction/
 */
export class SupportApi implements Upstream<SupportCall> {
  readonly basePath: string;
  readonly #account: SupportAccount;
  readonly #server: AuthorizationServer;
  readonly #windows: MinuteWindows | undefined;
  readonly #clock: () => number;

  constructor({ basePath, world, server, limits, clock }: SupportApiOptions) {
    this.basePath = basePath;
    this.#server = server;
    this.#account = new SupportAccount(world, clock);
    this.#windows = limits === 'vendor' ? new MinuteWindows() : undefined;
    this.#clock = clock;
  }

  read(request: IncomingRequest): SupportCall {
    const { verb, path, query, authorization } = request;
    const matched = verb === 'GET' ? matchPath(path) : undefined;
    const endpoint = matched === undefined ? undefined : SUPPORT_ENDPOINTS.get(matched.template);
    const credential = readCredential(authorization);
    const parameters = new Parameters(query);
    return {
      method: matched === undefined ? '' : `GET ${matched.template}`,
      template: matched?.template ?? '',
      endpoint,
      ids: matched?.ids ?? [],
      credential,
      token: credential?.token,
      parameters,
      params: parameters.toObject(),
      path,
      query,
      pages: endpoint?.kind === 'list' || endpoint?.kind === 'export',
      writes: false,
    };
  }

  answer(call: SupportCall, shaping: readonly Shaping[]): UpstreamAnswer {
    const limits = this.#count(call);
    try {
      const token = checkCredential(
        call.credential,
        this.#server.book,
        shaping.some(({ fault }) => fault.kind === 'revokeToken'),
      );
      const exceeded = limits.find(({ isExceeded }) => isExceeded);
      if (exceeded !== undefined) return this.rateLimited(call, exceeded.resetsInSeconds);
      refuseByFault(shaping, 'before');
      const body = this.#body(call, shaping, token);
      refuseByFault(shaping, 'after');
      return respond(call, { status: 200, body }, limits);
    } catch (error) {
      if (!(error instanceof SupportError)) throw error;
      const { status, body } = error;
      return respond(call, { status, body: Buffer.from(JSON.stringify(body)) }, limits);
    }
  }

  rateLimited(call: SupportCall, retryAfterSeconds: number): UpstreamAnswer {
    const body = {
      error: 'APIRateLimitExceeded',
      description: 'Number of allowed API requests per minute exceeded',
    };
    const refusal = { status: 429, body: Buffer.from(JSON.stringify(body)) };
    const answer = respond(call, refusal, [
      { limit: ACCOUNT_LIMIT, remaining: 0, resetsInSeconds: retryAfterSeconds, isExceeded: true },
    ]);
    return { ...answer, headers: [...answer.headers, 'retry-after', String(retryAfterSeconds)] };
  }

  failed(call: SupportCall, status: number): UpstreamAnswer {
    const error = status === 503 ? 'ServiceUnavailable' : 'InternalError';
    const body = { error, description: 'Something went wrong on our side' };
    const failure = { status, body: Buffer.from(JSON.stringify(body)) };
    return respond(call, failure, this.#count(call));
  }

  #body(call: SupportCall, shaping: readonly Shaping[], token: LiveToken | undefined): Buffer {
    const { endpoint, parameters } = call;
    if (endpoint === undefined) throw invalidEndpoint();
    const userId = token === undefined ? undefined : Number(token.grant.person.id);
    const ids = call.ids.map(wholeId);
    const endpointCall = { account: this.#account, parameters, ids, userId };
    if (endpoint.kind === 'record') {
      const found = endpoint.find(endpointCall);
      if (found === undefined) throw recordNotFound();
      return shapedBytes({ [endpoint.records]: found }, shaping);
    }
    const list =
      endpoint.kind === 'export'
        ? this.#export(call, endpoint)
        : this.#list(call, endpoint, endpointCall);
    const cacheKey = `${call.path}?${call.query}`;
    const bytes = this.#account.cachedPage(cacheKey, () => listBytes(list));
    if (shaping.length === 0) return bytes;
    // Proven: `listBytes` serialises a JSON object.
    const shaped = shapedBytes(JSON.parse(bytes.toString('utf8')) as JsonBody, shaping);
    this.#disturb(list, shaping);
    return shaped;
  }

  #list(call: SupportCall, endpoint: ListEndpoint, endpointCall: EndpointCall): ListAnswer {
    const { parameters } = call;
    const { style } = endpoint;
    if (style === 'offset') refuseCursor(parameters);
    const isCursor = style !== 'offset' && wantsCursor(parameters);
    const { key, collection } = endpoint.collection(endpointCall);
    const sorting = endpoint.sorting(parameters, isCursor);
    const order = this.#account.order(key, collection, {
      sorting,
      filter: endpoint.filter?.(endpointCall),
    });
    const url = `${this.#account.world.apiUrl}/${call.path}`;
    const source = { parameters, order, url, sorting };
    const page = isCursor
      ? cursorPage(source)
      : style === 'cursor or everything'
        ? wholePage(order)
        : offsetPage(source, endpoint);
    return {
      field: endpoint.records,
      recordAt: (position) => collection.recordAt(position),
      key,
      collection,
      order,
      page,
    };
  }

  #export({ parameters, path }: SupportCall, endpoint: ExportEndpoint): ListAnswer {
    const { records: entity, style } = endpoint;
    const records = this.#account.exported(entity);
    const order = this.#account.order(`export ${entity}`, records, {
      sorting: { name: EXPORT_ORDERS[entity], isDescending: false },
      filter: endpoint.filter?.({ account: this.#account, parameters }),
    });
    const url = `${this.#account.world.apiUrl}/${path}`;
    const page = exportPage(style, { records, order, parameters, url, now: this.#account.now() });
    return {
      field: entity,
      recordAt: (position) => records.recordAt(position),
      key: entity,
      collection: this.#account.collection(entity),
      order,
      page,
    };
  }

  /** Carries out `mutateWhilePaging` faults on the record that the next page begins with. */
  #disturb({ key, collection, order, page }: ListAnswer, shaping: readonly Shaping[]): void {
    if (!page.hasNext) return;
    const position = order.positionAt(page.end);
    for (const { fault } of shaping) {
      if (fault.kind !== 'mutateWhilePaging') continue;
      this.#account.disturb(key, collection, { change: fault.change, position });
    }
  }

  /** Counts a call against every limit that it is under, and says how each then stands. */
  #count({ template, endpoint }: SupportCall): readonly WindowState[] {
    const limits = [
      ACCOUNT_LIMIT,
      ...(template === '/tickets' ? [TICKETS_INDEX_LIMIT] : []),
      ...(endpoint?.kind === 'export' ? [EXPORT_LIMIT] : []),
    ];
    const now = this.#clock();
    return limits.map((limit) =>
      this.#windows === undefined
        ? { limit, remaining: limit - 1, resetsInSeconds: 60, isExceeded: false }
        : this.#windows.count(String(limit), limit, now),
    );
  }
}

function wholeId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidAttribute('id', 'must be an integer');
  return Number(text);
}

function refuseByFault(shaping: readonly Shaping[], stage: 'before' | 'after'): void {
  const injected = injectedError(shaping, stage);
  if (injected !== undefined) throw refusalOf(injected.code, injected.status);
}

function listBytes({ field, recordAt, order, page }: ListAnswer): Buffer {
  // Every record becomes bytes alone: one large text with a single emoji in it converts far slower.
  const parts = [Buffer.from(`{"${field}":[`)];
  for (let rank = page.start; rank < page.end; rank += 1) {
    if (rank > page.start) parts.push(COMMA);
    parts.push(Buffer.from(JSON.stringify(recordAt(order.positionAt(rank)))));
  }
  parts.push(Buffer.from(`],${JSON.stringify(page.envelope).slice(1)}`));
  return Buffer.concat(parts);
}

function shapedBytes(body: JsonBody, shaping: readonly Shaping[]): Buffer {
  let shaped = body;
  for (const { fault, memory } of shaping) {
    if (fault.kind === 'repeatCursor') shaped = withRepeatedPage(shaped, memory);
    if (fault.kind === 'unknownFields') shaped = withUnknownFields(shaped, mapRecords);
  }
  for (const { fault } of shaping) {
    if (fault.kind !== 'arrayBody') continue;
    const arrays = withArrays(shaped, fault.where ?? 'records', mapRecords);
    return Buffer.from(JSON.stringify(arrays));
  }
  return Buffer.from(JSON.stringify(shaped));
}

/**
 * Gives every page the next page that was remembered first, so that a list never ends. The fault
 * begins to show with the first answer that has a further page.
 */
function withRepeatedPage(body: JsonBody, memory: Map<string, string>): JsonBody {
  const { meta, links } = body;
  if ('end_of_stream' in body) return withRepeatedExport(body, memory);
  if (!isJsonObject(meta) || !isJsonObject(links)) {
    const next = memory.get('next_page') ?? body['next_page'];
    if (typeof next !== 'string') return body;
    memory.set('next_page', next);
    return { ...body, next_page: next };
  }
  const cursor = memory.get('cursor') ?? (meta['has_more'] === true ? meta['after_cursor'] : null);
  const next = memory.get('link') ?? links['next'];
  if (typeof cursor !== 'string' || typeof next !== 'string') return body;
  memory.set('cursor', cursor).set('link', next);
  return {
    ...body,
    meta: { ...meta, has_more: true, after_cursor: cursor },
    links: { ...links, next },
  };
}

/** The same for an export, which goes on by its link or by its cursor. */
function withRepeatedExport(body: JsonBody, memory: Map<string, string>): JsonBody {
  const name = 'after_cursor' in body ? 'after_cursor' : 'next_page';
  const next = memory.get(name) ?? (body['end_of_stream'] === true ? null : body[name]);
  if (typeof next !== 'string') return body;
  memory.set(name, next);
  return { ...body, [name]: next, end_of_stream: false };
}

function respond(
  { endpoint, template }: SupportCall,
  { status, body }: Omit<UpstreamAnswer, 'headers'>,
  [account, ticketsIndex]: readonly WindowState[],
): UpstreamAnswer {
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
  if (account !== undefined) {
    const { limit, remaining, resetsInSeconds } = account;
    headers.push('x-rate-limit', String(limit), 'x-rate-limit-remaining', String(remaining));
    if (endpoint !== undefined && endpoint.kind !== 'record') {
      headers.push('ratelimit-limit', String(limit), 'ratelimit-remaining', String(remaining));
      headers.push('ratelimit-reset', String(resetsInSeconds));
    }
  }
  if (ticketsIndex !== undefined && template === '/tickets') {
    const { limit, remaining, resetsInSeconds } = ticketsIndex;
    headers.push(
      'zendesk-ratelimit-tickets-index',
      `total=${String(limit)}; remaining=${String(remaining)}; resets=${String(resetsInSeconds)}`,
    );
  }
  return { status, headers, body };
}
