import { isJsonObject, mapRecordsIn, withArrays, withUnknownFields } from '../body-shaping.ts';
import type { JsonBody } from '../body-shaping.ts';
import { bearerToken } from '../credentials.ts';
import type { Shaping } from '../fault-board.ts';
import { injectedError } from '../injected-error.ts';
import { MinuteWindows } from '../minute-windows.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { Parameters } from '../zendesk-support/parameters.ts';
import { ChatAccount } from './account.ts';
import { ChatError, chatRefusalOf } from './chat-error.ts';
import { checkToken } from './credentials.ts';
import { matchChatPath } from './endpoints.ts';
import type { ChatEndpoint } from './endpoints.ts';
import { readFields } from './fields-parameter.ts';
import { BAN_GROUPS } from './seeded-staff.ts';
import type { ChatWorld } from './world.ts';

/** How the simulated Zendesk Chat is set up. */
export interface ChatApiOptions {
  readonly world: ChatWorld;
  readonly server: AuthorizationServer;
  readonly basePath: string;
  /** What stands for `https://{subdomain}.zendesk.com/api/v2/chat`. */
  readonly url: string;
  readonly limits: 'off' | 'vendor';
  readonly clock: () => number;
}

/** A call read from a request; without an endpoint where the path is unknown. */
export interface ChatCall extends UpstreamCall {
  readonly endpoint: ChatEndpoint | undefined;
  readonly id: string;
  readonly parameters: Parameters;
  readonly path: string;
  readonly query: string;
}

type ExportEndpoint = Extract<ChatEndpoint, { readonly kind: 'export' }>;
type ByIdEndpoint = Extract<ChatEndpoint, { readonly kind: 'byId' }>;

/** An answer, and how to change the records before the next page (fault `mutateWhilePaging`). */
interface ChatAnswer {
  readonly bytes: Buffer;
  readonly disturb?: (change: 'insert' | 'delete' | 'update') => void;
}

const REQUESTS_PER_MINUTE = 200;
const MAX_EXPORT_LIMIT = 1_000;
const DEFAULT_ID_LIMIT = 10;
const COMMA = Buffer.from(',');
const mapRecordsInFields = mapRecordsIn(
  new Set(['chats', 'agent_timeline', 'visitor', 'ip_address', 'data']),
);

/**
 * The read-only part of Zendesk Chat's REST API that `CHAT_ENDPOINTS` lists.
 *
 * @see https://developer.zendesk.com/api-reference/live-chat/introduction/
 */
export class ChatApi implements Upstream<ChatCall> {
  readonly basePath: string;
  readonly #url: string;
  readonly #account: ChatAccount;
  readonly #server: AuthorizationServer;
  readonly #windows: MinuteWindows | undefined;
  readonly #clock: () => number;

  constructor(options: ChatApiOptions) {
    this.basePath = options.basePath;
    this.#url = options.url;
    this.#account = new ChatAccount(options.world, options.clock);
    this.#server = options.server;
    this.#windows = options.limits === 'vendor' ? new MinuteWindows() : undefined;
    this.#clock = options.clock;
  }

  read({ verb, path, query, authorization }: IncomingRequest): ChatCall {
    const matched = verb === 'GET' ? matchChatPath(path) : undefined;
    const parameters = new Parameters(query);
    return {
      method: matched === undefined ? '' : `GET ${matched.template}`,
      endpoint: matched?.endpoint,
      id: matched?.id ?? '',
      token: bearerToken(authorization),
      parameters,
      params: parameters.toObject(),
      path,
      query,
      pages: matched !== undefined && matched.endpoint.kind !== 'value',
      writes: false,
    };
  }

  answer(call: ChatCall, shaping: readonly Shaping[]): UpstreamAnswer {
    try {
      const isRevoked = shaping.some(({ fault }) => fault.kind === 'revokeToken');
      const token = checkToken(call.token, this.#server.book, isRevoked);
      const window = this.#windows?.count(call.token ?? '', REQUESTS_PER_MINUTE, this.#clock());
      if (window?.isExceeded === true) return this.rateLimited(call, window.resetsInSeconds);
      refuseByFault(shaping, 'before');
      const answer = this.#answer(call, shaping, token?.grant.person.id);
      refuseByFault(shaping, 'after');
      const body = shaping.length === 0 ? answer.bytes : shapedBytes(call, answer.bytes, shaping);
      for (const { fault } of shaping) {
        if (fault.kind === 'mutateWhilePaging') answer.disturb?.(fault.change);
      }
      return respond(200, body);
    } catch (error) {
      if (!(error instanceof ChatError)) throw error;
      return refuse(error);
    }
  }

  rateLimited(_call: ChatCall, retryAfterSeconds: number): UpstreamAnswer {
    const answer = refuse(new ChatError(429, 'Too many requests in this minute'));
    return { ...answer, headers: [...answer.headers, 'retry-after', String(retryAfterSeconds)] };
  }

  failed(_call: ChatCall, status: number): UpstreamAnswer {
    return refuse(new ChatError(status, 'Something went wrong on our side'));
  }

  #answer(call: ChatCall, shaping: readonly Shaping[], agentId?: string): ChatAnswer {
    const { endpoint, parameters, id } = call;
    if (endpoint === undefined) throw new ChatError(404, 'The requested URL was not found');
    if (endpoint.kind === 'export') return this.#export(call, endpoint);
    if (endpoint.kind === 'byId') return this.#pageById(call, endpoint, shaping);
    const value = endpoint.value({ account: this.#account, parameters, id, agentId });
    if (value === undefined) throw new ChatError(404, 'The requested resource was not found');
    return { bytes: Buffer.from(JSON.stringify(value)) };
  }

  /** Answers a page of an export. Its `next_page` is never null: at the end it gives no items. */
  #export(call: ChatCall, { name, unitsPerSecond }: ExportEndpoint): ChatAnswer {
    const { parameters } = call;
    const limit = Math.min(MAX_EXPORT_LIMIT, wholeNumber(parameters, 'limit') ?? MAX_EXPORT_LIMIT);
    if (limit === 0) throw new ChatError(400, 'limit must be a positive integer');
    const startTime = wholeNumber(parameters, 'start_time') ?? 0;
    if (startTime > this.#account.exportableUntil() * unitsPerSecond) {
      throw new ChatError(400, 'start_time must be more than five minutes ago');
    }
    const startId = parameters.text('start_id');
    const keep = readFields(name, parameters.text('fields'));
    const log = this.#account.exports[name];
    const { items, next } = log.page(startTime, startId, limit);
    const last = items.at(-1);
    const end = last === undefined ? { time: startTime, id: startId ?? '' } : log.placeOf(last);
    const bytes = this.#account.cachedPage(`${call.path}?${call.query}`, () => {
      const nextQuery = parameters.with({
        limit: String(limit),
        start_time: String(end.time),
        start_id: end.id === '' ? null : end.id,
      });
      const envelope = {
        count: items.length,
        end_time: end.time,
        end_id: end.id,
        next_page: `${this.#url}/${call.path}?${nextQuery}`,
      };
      const records = items.map((item) => Buffer.from(JSON.stringify(keep(log.recordOf(item)))));
      return Buffer.concat([
        Buffer.from(`{"${name}":[`),
        ...records.flatMap((record, nth) => (nth === 0 ? [record] : [COMMA, record])),
        Buffer.from(`],${JSON.stringify(envelope).slice(1)}`),
      ]);
    });
    if (next === undefined) return { bytes };
    const disturb: ChatAnswer['disturb'] = (change) => {
      const at = this.#account.nextChangeAt() * unitsPerSecond;
      if (change === 'insert') log.add(at);
      if (change === 'delete') log.remove(next, at);
      if (change === 'update') log.change(next, at);
    };
    return { bytes, disturb };
  }

  /**
   * Answers a page by id: from `since_id` on, that id included, or down to `max_id`.
   *
   * @see https://developer.zendesk.com/api-reference/live-chat/chat-api/agents/
   */
  #pageById(call: ChatCall, endpoint: ByIdEndpoint, shaping: readonly Shaping[]): ChatAnswer {
    const { parameters } = call;
    const { entity, maxLimit } = endpoint;
    const limit = Math.min(maxLimit, wholeNumber(parameters, 'limit') ?? DEFAULT_ID_LIMIT);
    if (limit === 0) throw new ChatError(400, 'limit must be a positive integer');
    const sinceId = repeatedSinceId(shaping, wholeNumber(parameters, 'since_id') ?? 0);
    const maxId = wholeNumber(parameters, 'max_id');
    const collection = this.#account.collection(entity);
    const idOf = (position: number) => Number(collection.recordAt(position)['id']);
    const fitting: number[] = [];
    for (let position = 0; position < collection.end; position += 1) {
      if (!collection.has(position)) continue;
      const id = idOf(position);
      if (id >= sinceId && id <= (maxId ?? Number.MAX_SAFE_INTEGER)) fitting.push(position);
    }
    const isBackward = maxId !== undefined && parameters.text('since_id') === undefined;
    const positions = isBackward ? fitting.slice(-limit) : fitting.slice(0, limit);
    const records = positions.map((position) => collection.recordAt(position));
    const bytes = Buffer.from(JSON.stringify(entity === 'bans' ? inGroups(records) : records));
    const next = isBackward ? undefined : fitting[limit];
    if (next === undefined) return { bytes };
    return {
      bytes,
      disturb: (change) => {
        const at = this.#account.nextChangeAt();
        if (change === 'insert') collection.add(at);
        if (change === 'delete') collection.remove(next, at);
        if (change === 'update') collection.change(next, at);
      },
    };
  }
}

function wholeNumber(parameters: Parameters, name: string): number | undefined {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,16}$/.test(text)) throw new ChatError(400, `${name} must be an integer`);
  return Number(text);
}

/** Bans as a list has them: apart by type, of which nothing else tells. */
function inGroups(bans: readonly JsonBody[]): JsonBody {
  const groups = Object.entries(BAN_GROUPS).map(([name, { type, fields }]) => {
    const shown = ['created_at', 'id', 'reason', ...fields];
    const listed = bans
      .filter((ban) => ban['type'] === type)
      .map((ban) => Object.fromEntries(shown.map((field) => [field, ban[field]])));
    return [name, listed];
  });
  return Object.fromEntries(groups) as JsonBody;
}

/** Lists by id have no cursor: under the fault `repeatCursor` they begin where they did first. */
function repeatedSinceId(shaping: readonly Shaping[], sinceId: number): number {
  for (const { fault, memory } of shaping) {
    if (fault.kind !== 'repeatCursor') continue;
    const first = memory.get('since_id') ?? String(sinceId);
    memory.set('since_id', first);
    return Number(first);
  }
  return sinceId;
}

function refuseByFault(shaping: readonly Shaping[], stage: 'before' | 'after'): void {
  const injected = injectedError(shaping, stage);
  if (injected !== undefined) throw chatRefusalOf(injected.code, injected.status);
}

function shapedBytes({ endpoint }: ChatCall, bytes: Buffer, shaping: readonly Shaping[]): Buffer {
  const parsed: unknown = JSON.parse(bytes.toString('utf8'));
  // A body that is a bare list or record is wrapped in a field for shaping and unwrapped after it.
  const isBare = Array.isArray(parsed) || (endpoint?.kind === 'value' && !hasData(parsed));
  if (isBare) {
    const shaped = shapeBody({ data: parsed }, shaping);
    const bare = isJsonObject(shaped) ? shaped['data'] : [parsed];
    return Buffer.from(JSON.stringify(bare));
  }
  return Buffer.from(JSON.stringify(shapeBody(isJsonObject(parsed) ? parsed : {}, shaping)));
}

function hasData(parsed: unknown): boolean {
  return isJsonObject(parsed) && 'data' in parsed;
}

function shapeBody(body: JsonBody, shaping: readonly Shaping[]): unknown {
  let shaped = body;
  for (const { fault, memory } of shaping) {
    const { next_page: nextPage } = shaped;
    if (fault.kind === 'repeatCursor' && typeof nextPage === 'string') {
      const first = memory.get('next_page') ?? nextPage;
      memory.set('next_page', first);
      shaped = { ...shaped, next_page: first };
    }
    if (fault.kind === 'unknownFields') shaped = withUnknownFields(shaped, mapRecordsInFields);
  }
  for (const { fault } of shaping) {
    if (fault.kind === 'arrayBody') {
      return withArrays(shaped, fault.where ?? 'records', mapRecordsInFields);
    }
  }
  return shaped;
}

function refuse({ status, error, description }: ChatError): UpstreamAnswer {
  return respond(status, Buffer.from(JSON.stringify({ error, description })));
}

function respond(status: number, body: Buffer): UpstreamAnswer {
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
  return { status, headers, body };
}
