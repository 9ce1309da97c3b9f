import {
  ConnectorError,
  findList,
  isJsonObject,
  isReadName,
  isWrite,
  pagingFieldOf,
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
import type { HttpRequest } from './exchange.ts';
import type { HostedCallOptions } from './hosted-calls.ts';
import { checkIdempotencyKey, newIdempotencyKey } from './idempotency-key.ts';
import { jsonText } from './json-text.ts';
import type { SearchPage } from './search-page.ts';
import type { ServiceClient, Write } from './service-client.ts';
import { invalidInput, unexpectedAnswer } from './service-errors.ts';

export type UntypedRecord = Readonly<Record<string, unknown>>;

/** A page of a list, untyped. */
export interface UntypedPage {
  readonly data: readonly UntypedRecord[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly warnings: readonly Warning[];
}

interface ExecuteCall {
  readonly entity: string;
  readonly action: string;
  readonly params: unknown;
}

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
    if (action === 'list') return this.#fetchPage(entity, params, options);
    if (action === 'download') return this.#fetchFile(entity, params, options);
    if (action === 'search') return this.search(entity, params, options);
    const call = { entity, action, params };
    return (await this.#fetch(ExecuteAnswer, call, options)).result;
  }

  /** Walks a list page by page, as the engine of the library does; holds one page. */
  async *pages(
    entityName: string,
    params?: unknown,
    options: HostedCallOptions = {},
  ): AsyncGenerator<UntypedPage, void, undefined> {
    const kind = this.#knownKind(entityName);
    const list = findList(kind, entityName);
    const selection = keepingField(pagingFieldOf(list), options);
    const pages = walkPages<UntypedPage>({
      displayName: kind.displayName,
      ...list,
      params: givenParams(params),
      fetchPage: (next) => this.#fetchPage(entityName, next, selection.options),
    });
    for await (const page of pages) yield { ...page, data: page.data.map(selection.strip) };
  }

  /** Walks a list record by record; holds one page. */
  async *all(
    entityName: string,
    params?: unknown,
    options?: HostedCallOptions,
  ): AsyncGenerator<UntypedRecord, void, undefined> {
    for await (const page of this.pages(entityName, params, options)) yield* page.data;
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
  async *searchAll(
    entity: string,
    params: unknown,
    options?: HostedCallOptions,
  ): AsyncGenerator<SearchHit, void, undefined> {
    for await (const page of this.searchPages(entity, params, options)) yield* page.hits;
  }

  #knownKind(entity: string): ConnectorKind {
    if (this.kind !== undefined) return this.kind;
    throw new ConnectorError(
      'unsupported_action',
      { entity, action: 'list', allowed: [] },
      {
        message:
          'This version of @patchbay/client does not know how lists of this connector kind go on; update it, or page with execute and the Meta fields.',
      },
    );
  }

  async #fetchPage(
    entity: string,
    params: unknown,
    options: HostedCallOptions,
  ): Promise<UntypedPage> {
    const call = { entity, action: 'list', params };
    const answer = await this.#fetch(ListAnswer, call, options);
    const { result: data, connector_metadata: meta, warnings = [] } = answer;
    return { data, meta, warnings };
  }

  #fetch<S extends Schema>(
    schema: S,
    call: ExecuteCall,
    options: HostedCallOptions,
  ): Promise<Wire<S>> {
    return this.#service.fetchJson(schema, {
      request: this.#requestFor(call, options),
      write: this.#writeOf(call, options),
      tellsTimeout: true,
      options,
    });
  }

  #fetchFile(entity: string, params: unknown, options: HostedCallOptions): Promise<Download> {
    const request = this.#requestFor({ entity, action: 'download', params }, options);
    return this.#service.fetchFile({
      // Any type: for JSON alone the service would send the file as text inside an object.
      request: { ...request, headers: { accept: '*/*' } },
      tellsTimeout: true,
      options,
    });
  }

  #requestFor(
    { entity, action, params }: ExecuteCall,
    { selectFields, excludeFields }: HostedCallOptions,
  ): HttpRequest {
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

/** The params that are given; a null one is an absent one. */
function givenParams(params: unknown): Readonly<Record<string, unknown>> {
  if (params === undefined || params === null) return {};
  if (!isJsonObject(params)) throw invalidInput('params', 'must be an object');
  const given = Object.entries(params).filter(([, value]) => (value ?? null) !== null);
  return Object.fromEntries(given);
}

interface WalkSelection {
  readonly options: HostedCallOptions;
  /** Takes out what only the walk needed. */
  readonly strip: (record: UntypedRecord) => UntypedRecord;
}

/** A selection that keeps the field which a list cannot go on without. */
function keepingField(field: string | undefined, options: HostedCallOptions): WalkSelection {
  const asIs = { options, strip: (record: UntypedRecord) => record };
  if (field === undefined) return asIs;
  const { selectFields = [], excludeFields = [] } = options;
  const strip = (record: UntypedRecord) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
  // An empty selection selects everything, and a selection wins over an exclusion.
  if (selectFields.length > 0)
    return selectFields.includes(field)
      ? asIs
      : { options: { ...options, selectFields: [...selectFields, field] }, strip };
  if (!excludeFields.includes(field)) return asIs;
  const others = excludeFields.filter((name) => name !== field);
  return { options: { ...options, excludeFields: others }, strip };
}
