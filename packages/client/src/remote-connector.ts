import {
  ConnectorError,
  findAction,
  findEntity,
  isJsonObject,
  isWrite,
  walkPages,
  type ConnectorKind,
  type Download,
  type ListAction,
} from '@patchbay/connectors/definitions';
import type { HttpRequest } from './exchange.ts';
import type { HostedCallOptions } from './hosted-calls.ts';
import { checkIdempotencyKey, newIdempotencyKey } from './idempotency-key.ts';
import { jsonText } from './json-text.ts';
import type { SearchPage, UntypedHit } from './search-page.ts';
import type { ServiceClient, Write } from './service-client.ts';
import { invalidInput, unexpectedAnswer } from './service-errors.ts';

export type UntypedRecord = Readonly<Record<string, unknown>>;

/** A page of a list, untyped. */
export interface UntypedPage {
  readonly data: readonly UntypedRecord[];
  readonly meta: Readonly<Record<string, unknown>>;
}

/** The verbs that change nothing; whatever a later service adds counts as a write. */
const READ_VERBS: readonly string[] = ['list', 'get', 'download', 'search', 'context_store_search'];

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
    return (await this.#fetch(entity, action, params, options))['result'];
  }

  /** Walks a list page by page, as the engine of the library does; holds one page. */
  async *pages(
    entityName: string,
    params?: unknown,
    options: HostedCallOptions = {},
  ): AsyncGenerator<UntypedPage, void, undefined> {
    const { entity, action } = this.#listOf(entityName);
    const keyField = entity.key.length === 1 ? entity.key[0] : undefined;
    const selection = keepingKey(action, keyField, options);
    const pages = walkPages<UntypedPage>({
      displayName: this.kind?.displayName ?? 'The upstream',
      entity,
      action,
      params: givenParams(params),
      fetchPage: (next) => this.#fetchPage(entityName, next, selection.options),
    });
    for await (const page of pages) yield { data: page.data.map(selection.strip), meta: page.meta };
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
  ): Promise<SearchPage<UntypedHit>> {
    const answer = await this.#fetch(entity, 'search', params, options);
    const { result, execution_metadata } = answer;
    if (isJsonObject(result) && Array.isArray(result['hits']) && isJsonObject(result['sync']))
      // Both have the members that docs/wire.md#execute lists.
      return { ...result, execution_metadata } as unknown as SearchPage<UntypedHit>;
    throw unexpectedAnswer(this.#service.baseUrl, 'what a search found');
  }

  /** Walks what a search finds, page by page from the given cursor on; holds one page. */
  async *searchPages(
    entity: string,
    params: unknown,
    options?: HostedCallOptions,
  ): AsyncGenerator<SearchPage<UntypedHit>, void, undefined> {
    const given = givenParams(params);
    let { cursor } = given;
    for (;;) {
      const page = await this.search(entity, { ...given, cursor }, options);
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
  ): AsyncGenerator<UntypedHit, void, undefined> {
    for await (const page of this.searchPages(entity, params, options)) yield* page.hits;
  }

  #listOf(entityName: string) {
    if (this.kind === undefined)
      throw new ConnectorError(
        'unsupported_action',
        { entity: entityName, action: 'list', allowed: [] },
        {
          message:
            'This version of @patchbay/client does not know how lists of this connector kind go on; update it, or page with execute and the Meta fields.',
        },
      );
    const entity = findEntity(this.kind, entityName);
    // An action named `list` is a list action.
    return { entity, action: findAction(this.kind, entityName, 'list') as ListAction };
  }

  async #fetchPage(
    entity: string,
    params: unknown,
    options: HostedCallOptions,
  ): Promise<UntypedPage> {
    const answer = await this.#fetch(entity, 'list', params, options);
    const { result: data, connector_metadata: meta } = answer;
    if (Array.isArray(data) && isJsonObject(meta))
      // The service projects every record of a list onto its declared fields: they are objects.
      return { data: data as readonly UntypedRecord[], meta };
    throw unexpectedAnswer(this.#service.baseUrl, 'a page of records');
  }

  async #fetch(
    entity: string,
    action: string,
    params: unknown,
    options: HostedCallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#service.fetchJson({
      request: this.#requestFor(entity, action, params, options),
      write: this.#writeOf(entity, action, options),
      tellsTimeout: true,
      options,
    });
    if (isJsonObject(answer) && 'result' in answer) return answer;
    throw unexpectedAnswer(this.#service.baseUrl, 'the result of an operation');
  }

  #fetchFile(entity: string, params: unknown, options: HostedCallOptions): Promise<Download> {
    const request = this.#requestFor(entity, 'download', params, options);
    return this.#service.fetchFile({
      // Any type: for JSON alone the service would send the file as text inside an object.
      request: { ...request, headers: { accept: '*/*' } },
      tellsTimeout: true,
      options,
    });
  }

  #requestFor(
    entity: string,
    action: string,
    params: unknown,
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
    entity: string,
    action: string,
    { idempotencyKey }: HostedCallOptions,
  ): Write | undefined {
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey);
    if (READ_VERBS.includes(action)) return undefined;
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

/** Asks for the key field too, where the list goes on after the key of its last record. */
function keepingKey(
  { paging }: ListAction,
  keyField: string | undefined,
  options: HostedCallOptions,
): WalkSelection {
  const asIs = { options, strip: (record: UntypedRecord) => record };
  if (paging.strategy !== 'after_last_key' || keyField === undefined) return asIs;
  const { selectFields = [], excludeFields = [] } = options;
  const strip = (record: UntypedRecord) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== keyField));
  // An empty selection selects everything, and a selection wins over an exclusion.
  if (selectFields.length > 0)
    return selectFields.includes(keyField)
      ? asIs
      : { options: { ...options, selectFields: [...selectFields, keyField] }, strip };
  if (!excludeFields.includes(keyField)) return asIs;
  const others = excludeFields.filter((name) => name !== keyField);
  return { options: { ...options, excludeFields: others }, strip };
}
