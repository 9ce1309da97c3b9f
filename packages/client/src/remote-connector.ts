import {
  ConnectorError,
  eachOfPages,
  findList,
  firstPageParams,
  isJsonObject,
  isReadName,
  isSearch,
  isWrite,
  nextParams,
  timeForSearch,
  walkPages,
  type ConnectorKind,
  type Download,
  type Warning,
} from '@patchbay/connectors/definitions';
import {
  ExecuteAnswer,
  ListAnswer,
  SearchAnswer,
  type Schema,
  type SearchHit,
  type Wire,
} from '@patchbay/connectors/wire';
import { checkOptionsOfCall, type RequestOptions } from './call-options.ts';
import type { HttpRequest } from './exchange.ts';
import type { HostedCallOptions } from './hosted-calls.ts';
import { checkIdempotencyKey, newIdempotencyKey } from './idempotency-key.ts';
import { jsonText } from './json-text.ts';
import type { SearchPage } from './search-page.ts';
import type { ServiceClient, Write } from './service-client.ts';
import { invalidInput, unexpectedAnswer } from './service-errors.ts';
import { requireOperands } from './undefined-operands.ts';

export type UntypedRecord = Readonly<Record<string, unknown>>;

/** A page of a list, untyped. */
export interface UntypedPage {
  readonly data: readonly UntypedRecord[];
  readonly meta: Readonly<Record<string, unknown>>;
  /** What to merge into the params for the page after it; null at the end of the list. */
  readonly nextParams: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly Warning[];
}

/** A page whose service may not have said how the list goes on. */
interface FetchedPage extends Omit<UntypedPage, 'nextParams'> {
  readonly nextParams: UntypedPage['nextParams'] | undefined;
}

interface ExecuteCall {
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
}

/** What a call takes besides the options of every request. */
const OPTIONS = { idempotencyKey: true, selectFields: true, excludeFields: true } as const;

const HOW_TO_FIND_OUT = 'Read the record to see whether it was written.';

/** Runs the operations of one connector through the service. */
export class RemoteConnector {
  readonly id: string;
  /** `undefined` for kinds that only the service knows. */
  readonly kind: ConnectorKind | undefined;
  readonly #service: ServiceClient;

  constructor(service: ServiceClient, id: string, kind: ConnectorKind | undefined) {
    this.#service = service;
    this.id = id;
    this.kind = kind;
  }

  /**
   * Runs one operation: a page of a list, a record, a file, or a page of hits.
   *
   * @throws ConnectorError by the error table; the reason of `options.signal` when it aborts.
   */
  // oxlint-disable-next-line max-params -- The call shape of the product: three, and the options of the call.
  async execute(
    entity: string,
    action: string,
    params?: unknown,
    options: HostedCallOptions = {},
  ): Promise<unknown> {
    if (action === 'list') {
      const page = await this.#fetchPage(entity, params, options);
      // Where nobody knows, the Meta fields remain.
      return { ...page, nextParams: page.nextParams ?? null };
    }
    if (action === 'download') return this.#fetchFile(entity, params, options);
    if (action === 'search') return this.search(entity, params, options);
    const call = { entity, action, params };
    return (await this.#fetch(ExecuteAnswer, call, options)).result;
  }

  /**
   * Walks a list page by page, as the engine of the library does; holds one page. A list of a kind that
   * only the service knows is walked in the way in which its first page comes.
   *
   * @throws `internal` where the service is too old to say how the list goes on, and this client cannot tell.
   */
  async *pages(
    entityName: string,
    params?: unknown,
    options: HostedCallOptions = {},
  ): AsyncGenerator<UntypedPage, void, undefined> {
    const given = givenParams(params);
    const known = this.kind && findList(this.kind, entityName);
    const fetchPage = async (next: UntypedRecord): Promise<UntypedPage> => {
      const page = await this.#fetchPage(entityName, next, options);
      if (page.nextParams === undefined) throw saysNotHowListsGoOn(entityName);
      return { ...page, nextParams: page.nextParams };
    };
    yield* walkPages<UntypedPage>({
      displayName: this.kind?.displayName ?? 'The upstream',
      entity: entityName,
      key: known?.entity.key ?? [],
      params: known === undefined ? given : firstPageParams(known.action, given),
      fetchPage,
    });
  }

  /** Walks a list record by record; holds one page. */
  all(
    entityName: string,
    params?: unknown,
    options?: HostedCallOptions,
  ): AsyncGenerator<UntypedRecord, void, undefined> {
    const pages = this.pages(entityName, params, options);
    return eachOfPages(pages, ({ data }) => data, options?.signal);
  }

  /** One page of hits; how fresh they are is part of it. */
  async search(
    entity: string,
    params: unknown,
    options: HostedCallOptions = {},
  ): Promise<SearchPage<SearchHit>> {
    const call = { entity, action: 'search', params };
    const answer = await this.#fetch(SearchAnswer, call, options);
    const { result, execution_metadata, warnings = [] } = answer;
    return { ...result, execution_metadata, warnings };
  }

  /**
   * Walks what a search finds, page by page from the given cursor on; holds one page. What is counted
   * is the same for all pages, and comes with the first.
   */
  async *searchPages(
    entity: string,
    params: unknown,
    options?: HostedCallOptions,
  ): AsyncGenerator<SearchPage<SearchHit>, void, undefined> {
    const { count, facets, ...given } = givenParams(params);
    let { cursor } = given;
    let counting: UntypedRecord = { count, facets };
    for (;;) {
      const page = await this.search(entity, { ...given, ...counting, cursor }, options);
      counting = {};
      yield page;
      if (page.next_cursor === null) return;
      if (page.next_cursor === cursor)
        throw unexpectedAnswer(this.#service.baseUrl, 'a cursor that leads on');
      cursor = page.next_cursor;
    }
  }

  /** Walks what a search finds, hit by hit; holds one page. */
  searchAll(
    entity: string,
    params: unknown,
    options?: HostedCallOptions,
  ): AsyncGenerator<SearchHit, void, undefined> {
    const pages = this.searchPages(entity, params, options);
    return eachOfPages(pages, ({ hits }) => hits, options?.signal);
  }

  async #fetchPage(
    entity: string,
    params: unknown,
    options: HostedCallOptions,
  ): Promise<FetchedPage> {
    const call = { entity, action: 'list', params };
    const answer = await this.#fetch(ListAnswer, call, options);
    const { result: data, connector_metadata, warnings = [] } = answer;
    const { next_params: said, ...meta } = connector_metadata;
    if (said !== undefined) return { data, meta, nextParams: said, warnings };
    const page = { params: givenParams(params), records: data, meta };
    return { data, meta, nextParams: this.#derivedNextParams(entity, page, options), warnings };
  }

  /**
   * How a list of a service of version 0.1 goes on, which leaves that to its clients. `undefined` where
   * this client cannot tell: the kind is unknown to it, or the key that leads on was not asked for.
   */
  #derivedNextParams(
    entity: string,
    page: Parameters<typeof nextParams>[1],
    { selectFields = [], excludeFields = [] }: HostedCallOptions,
  ): UntypedPage['nextParams'] | undefined {
    if (this.kind === undefined) return undefined;
    const list = findList(this.kind, entity);
    const isCutDown = selectFields.length + excludeFields.length > 0;
    if (isCutDown && list.action.paging.strategy === 'after_last_key') return undefined;
    return nextParams(list, page);
  }

  #fetch<S extends Schema>(
    schema: S,
    call: ExecuteCall,
    options: HostedCallOptions,
  ): Promise<Wire<S>> {
    checkOptionsOfCall(options, OPTIONS);
    return this.#service.fetchJson(schema, {
      request: this.#requestFor(call, options),
      write: this.#writeOf(call, options),
      tellsTimeout: true,
      leastTimeoutMs: isSearch(call.action) ? timeForSearch(call.params) : 0,
      options: ofRequest(options),
    });
  }

  #fetchFile(entity: string, params: unknown, options: HostedCallOptions): Promise<Download> {
    checkOptionsOfCall(options, OPTIONS);
    const request = this.#requestFor({ entity, action: 'download', params }, options);
    return this.#service.fetchFile({
      // Any type: for JSON alone the service would send the file as text inside an object.
      request: { ...request, headers: { accept: '*/*' } },
      tellsTimeout: true,
      options: ofRequest(options),
    });
  }

  #requestFor(
    { entity, action, params }: ExecuteCall,
    { selectFields, excludeFields }: HostedCallOptions,
  ): HttpRequest {
    if (isSearch(action)) requireOperands(params);
    return {
      method: 'POST',
      path: `/api/v1/connectors/sources/${this.id}/execute`,
      body: jsonText({
        entity,
        action,
        params,
        select_fields: selectFields,
        exclude_fields: excludeFields,
      }),
    };
  }

  #writeOf(
    { entity, action }: ExecuteCall,
    { idempotencyKey }: HostedCallOptions,
  ): Write | undefined {
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    if (isReadName(action)) return undefined;
    return {
      entity,
      action,
      howToFindOut: this.#howToFindOut(entity, action),
      idempotencyKey: idempotencyKey ?? newIdempotencyKey(),
    };
  }

  #howToFindOut(entityName: string, verb: string): string {
    const entities = Object.values(this.kind?.entities ?? {});
    const entity = entities.find(({ name }) => name === entityName);
    const action = Object.values(entity?.actions ?? {}).find((each) => each.verb === verb);
    return action !== undefined && isWrite(action) ? action.howToFindOut : HOW_TO_FIND_OUT;
  }
}

function ofRequest({ signal, timeoutMs }: HostedCallOptions): RequestOptions {
  return { signal, timeoutMs };
}

/** An old service, and a list that this client cannot lead on by itself. */
function saysNotHowListsGoOn(entity: string): ConnectorError {
  return new ConnectorError(
    'internal',
    { entity, action: 'list' },
    {
      message: `The service does not say how ${entity} go on: update it, or page with execute.`,
    },
  );
}

/** The params that are given; a null one is an absent one. */
function givenParams(params: unknown): Readonly<Record<string, unknown>> {
  if (params === undefined || params === null) return {};
  if (!isJsonObject(params)) throw invalidInput('params', 'must be an object');
  const given = Object.entries(params).filter(([, value]) => (value ?? null) !== null);
  return Object.fromEntries(given);
}
