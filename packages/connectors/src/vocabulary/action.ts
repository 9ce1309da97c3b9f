import type { Field } from './field.ts';
import type { Paging } from './paging.ts';
import type { BodyPath } from './body-path.ts';
import { limitOf, type Limited, type Params } from './param.ts';
import type { Policies } from './policies.ts';

/** The verbs of the service reference that reach an upstream. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'download';

/** `METHOD /path` below the base URL; `{name}` in the path is a required param. */
export type RequestLine = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** A Meta field of a list action: a field and where the upstream's body has it. */
export interface MetaField<F extends Field = Field> {
  readonly field: F;
  readonly from: BodyPath;
  /** What stands in where the upstream leaves it out, for fields that are always there. */
  readonly orElse?: 'page_length';
}

export type MetaFields = { readonly [name: string]: MetaField };

interface ActionBase<P extends Params> {
  readonly doc: string;
  /** The vendor's page on the request. */
  readonly reference: string;
  readonly request: RequestLine;
  readonly params: P;
  /** Constants that go along with the params. In a body, dots in a name lead into objects. */
  readonly constants?: { readonly [name: string]: string | number | boolean };
  readonly headers?: { readonly [name: string]: string };
  /**
   * The one escape hatch: turns the parsed body of a success into one that the paths of the action
   * fit. `params` are those of the call, checked. Pure and documented; a second use of the same shape
   * deserves a word of the vocabulary.
   */
  readonly reshape?: (body: unknown, params: Readonly<Record<string, unknown>>) => unknown;
  readonly policies?: Policies;
}

export interface ListAction<
  P extends Params = Params,
  M extends MetaFields = MetaFields,
> extends ActionBase<P> {
  readonly verb: 'list';
  /** Where the body has the array of records. */
  readonly records: BodyPath;
  readonly meta: M;
  readonly paging: Paging;
}

export interface GetAction<P extends Params = Params> extends ActionBase<P> {
  readonly verb: 'get';
  /** Where the body has the record. */
  readonly record: BodyPath;
}

/** A copy that takes over the record of an accepted write. */
export interface WrittenTo {
  readonly entity: string;
  /** Params that are part of the key there, and where the body of the answer has them. */
  readonly params?: { readonly [name: string]: BodyPath };
  /** Only if the write gave this param, and not as false. */
  readonly given?: string;
  /** Only if the write did not give this param. */
  readonly notGiven?: string;
  /** Only where the copy has the record already. */
  readonly onlyKnown?: true;
}

export interface WriteAction<
  V extends 'create' | 'update' = 'create' | 'update',
  P extends Params = Params,
> extends ActionBase<P> {
  readonly verb: V;
  readonly record: BodyPath;
  /** Record fields that the body may have elsewhere, filled where the record lacks them. */
  readonly fill?: { readonly [recordField: string]: BodyPath };
  /** The get action that gives the record where the answer to the write has no key field. */
  readonly readBack?: {
    readonly entity: string;
    /** Params of the get action to params of the write. */
    readonly params: { readonly [name: string]: string };
  };
  /** Copies that take over the record; that of the entity itself, if it has one, unless given. */
  readonly copies?: readonly WrittenTo[];
  /** How a person or agent finds out whether a write of unknown outcome happened. */
  readonly howToFindOut: string;
}

export interface DownloadAction<P extends Params = Params> extends ActionBase<P> {
  readonly verb: 'download';
  /** Where the body of the request has the URL of the file. */
  readonly url: BodyPath;
  /** Where it has the type of the file: a web page in place of a file of another type is a refusal. */
  readonly contentType?: BodyPath;
  /** The param that goes out as the Range header of the request for the file. */
  readonly rangeParam?: string;
  /** Hosts besides the upstream's own that redirects may lead to; `*.` stands for one or more labels. */
  readonly fileHosts: readonly string[];
}

export type Action = ListAction | GetAction | WriteAction | DownloadAction;

export type Actions = { readonly [name in Verb]?: Action };

/**
 * Reads records, a page at a time. Every list takes `limit`: where none of its params has that name,
 * it is added, as another name of the page size.
 */
export function list<const P extends Params, const M extends MetaFields = Record<string, never>>(
  action: Omit<ListAction<P, M>, 'verb' | 'meta' | 'paging'> & {
    readonly meta?: M;
    readonly paging?: Paging;
  },
): ListAction<Limited<P>, M> {
  const { params } = action;
  return {
    ...action,
    verb: 'list',
    // A limit of its own is of that type too: `checkAction` holds it to be the page size.
    params: ('limit' in params ? params : { ...params, limit: limitOf(params) }) as Limited<P>,
    // Absent means no Meta fields, and M is then inferred as its default, the empty record.
    meta: action.meta ?? ({} as M),
    paging: action.paging ?? { strategy: 'single' },
  };
}

/** Reads one record. */
export function get<const P extends Params>(action: Omit<GetAction<P>, 'verb'>): GetAction<P> {
  return { ...action, verb: 'get' };
}

/** Writes something new and returns its record. */
export function create<const P extends Params>(
  action: Omit<WriteAction<'create', P>, 'verb'>,
): WriteAction<'create', P> {
  return { ...action, verb: 'create' };
}

/** Changes something and returns its record. */
export function update<const P extends Params>(
  action: Omit<WriteAction<'update', P>, 'verb'>,
): WriteAction<'update', P> {
  return { ...action, verb: 'update' };
}

/** Reads the bytes of a file that a metadata request points to. */
export function download<const P extends Params>(
  action: Omit<DownloadAction<P>, 'verb'>,
): DownloadAction<P> {
  return { ...action, verb: 'download' };
}

/** A Meta field. */
export function meta<F extends Field>(
  fieldOfMeta: F,
  from: BodyPath,
  options: { readonly orElse?: 'page_length' } = {},
): MetaField<F> {
  return { field: fieldOfMeta, from, ...options };
}

/** The action of searchable entities that no definition declares: it asks the copy of a service. */
export const SEARCH = 'search';
/** Other names that it goes by, which later clients use. */
export const SEARCH_ALIASES: readonly string[] = ['context_store_search'];

/** Whether an action is a search, by whichever of its names. */
export function isSearch(actionName: string): boolean {
  return actionName === SEARCH || SEARCH_ALIASES.includes(actionName);
}

/** The verbs that change nothing; whatever a later version adds counts as a write. */
const READ_VERBS: readonly string[] = ['list', 'get', 'download'] satisfies readonly Verb[];

/** Whether an action of that name changes nothing, so that it may be repeated at will. */
export function isReadName(actionName: string): boolean {
  return READ_VERBS.includes(actionName) || isSearch(actionName);
}

/** Whether a call whose answer was lost may go out once more without harm. */
export function isRepeatable(action: Action): boolean {
  return !isWrite(action) && !(action.verb === 'list' && action.paging.strategy === 'scroll');
}

/** Whether the action changes something upstream, so that it is never repeated blindly. */
export function isWrite(action: Action): action is WriteAction {
  return !isReadName(action.verb);
}
