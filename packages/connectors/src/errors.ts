import type { Account } from './account.ts';

/**
 * What the caller may do about an error: `never` repeat it unchanged, repeat it `after` a stated
 * time, repeat it with `backoff`, or `reauth` first.
 */
export type Retry = 'never' | 'after' | 'backoff' | 'reauth';

/** Who can act on an error. `internal` is the only group that hides its details from callers. */
export type ErrorGroup = 'caller' | 'operator' | 'upstream' | 'internal';

/** One row of the error table. */
export interface ErrorRow {
  /** HTTP status of hosted answers. */
  readonly status: number;
  readonly retry: Retry;
  readonly group: ErrorGroup;
  readonly summary: string;
}

/**
 * Every error code of Patchbay, once. HTTP answers, client errors, exit codes, OpenAPI and the
 * errors page come from this table.
 *
 * @see docs/errors.md
 */
export const ERRORS = {
  malformed_json: row(400, 'never', 'caller', 'The body is not a JSON object.'),
  unauthenticated: row(401, 'never', 'caller', 'The request carries no valid bearer token.'),
  token_expired: row(401, 'reauth', 'caller', 'The token has expired; ask for a new one.'),
  forbidden: row(403, 'never', 'caller', 'The token does not allow this.'),
  connector_not_found: row(404, 'never', 'caller', 'No connector within reach has that id.'),
  application_not_found: row(404, 'never', 'caller', 'No application within reach has that id.'),
  secret_not_found: row(404, 'never', 'caller', 'The application has no secret of that id.'),
  connect_session_not_found: row(
    404,
    'never',
    'caller',
    'No connect session within reach has that id or link.',
  ),
  external_user_not_found: row(
    404,
    'never',
    'caller',
    'No external user within reach has that id.',
  ),
  job_not_found: row(404, 'never', 'caller', 'No job within reach has that id.'),
  record_not_found: row(404, 'never', 'caller', 'The upstream has no such record.'),
  route_not_found: row(404, 'never', 'caller', 'There is no such route.'),
  method_not_allowed: row(405, 'never', 'caller', 'The route does not take this HTTP method.'),
  request_timeout: row(408, 'backoff', 'caller', 'The request took too long to arrive.'),
  search_not_ready: row(409, 'after', 'caller', 'Nothing has been replicated yet.'),
  connector_paused: row(409, 'never', 'operator', 'The copying of the connector is paused.'),
  account_mismatch: row(409, 'never', 'caller', 'The credentials are of another account.'),
  connect_session_taken: row(
    409,
    'never',
    'caller',
    'The link was opened in another browser before.',
  ),
  connect_session_used: row(409, 'never', 'caller', 'The connect session has been used.'),
  connect_session_open: row(409, 'never', 'caller', 'There is nothing to confirm yet.'),
  external_user_mismatch: row(
    409,
    'never',
    'caller',
    'The connect session is of another external user.',
  ),
  quota_exceeded: row(409, 'never', 'caller', 'There are as many already as there may be.'),
  last_secret: row(409, 'never', 'caller', 'The only secret of an application stays.'),
  idempotency_in_progress: row(409, 'after', 'caller', 'The first call with that key still runs.'),
  connect_session_expired: row(410, 'never', 'caller', 'The connect session has expired.'),
  body_too_large: row(413, 'never', 'caller', 'The body exceeds the limit.'),
  unsupported_media_type: row(415, 'never', 'caller', 'The body must be application/json.'),
  invalid_request: row(422, 'never', 'caller', 'The request has wrong or missing members.'),
  unknown_connector_type: row(422, 'never', 'caller', 'There is no such connector kind.'),
  unknown_entity: row(422, 'never', 'caller', 'The connector kind has no such entity.'),
  unsupported_action: row(422, 'never', 'caller', 'The entity has no such action.'),
  invalid_params: row(422, 'never', 'caller', 'The params are wrong.'),
  invalid_query: row(422, 'never', 'caller', 'The search query is wrong.'),
  search_too_broad: row(422, 'never', 'caller', 'The search would take too much work.'),
  invalid_cursor: row(422, 'never', 'caller', 'The cursor is not one that this list gave.'),
  invalid_credentials: row(422, 'never', 'caller', 'The credentials fit no method of the kind.'),
  invalid_replication_config: row(422, 'never', 'caller', 'The replication config is wrong.'),
  invalid_config: row(422, 'never', 'caller', 'The config is wrong.'),
  idempotency_key_reused: row(422, 'never', 'caller', 'The key was used for another request.'),
  search_requires_hosted_mode: row(422, 'never', 'caller', 'Search exists in hosted mode only.'),
  config_required: row(424, 'never', 'operator', 'The connector lacks a config value.'),
  connector_disabled: row(424, 'never', 'operator', 'The connector is disabled.'),
  oauth_not_configured: row(424, 'never', 'operator', 'Nobody can be asked for consent yet.'),
  credentials_rejected: row(424, 'reauth', 'operator', 'The upstream refused the credentials.'),
  credentials_out_of_place: row(
    424,
    'never',
    'operator',
    'The credentials are not for the upstream that is set.',
  ),
  reauth_required: row(424, 'reauth', 'operator', 'The connector needs new credentials.'),
  upstream_forbidden: row(424, 'never', 'operator', 'The credentials may not do this upstream.'),
  upstream_rejected: row(424, 'never', 'upstream', 'The upstream refused the request.'),
  rate_limited: row(429, 'after', 'caller', 'Too many requests to this service.'),
  upstream_rate_limited: row(429, 'after', 'upstream', 'The upstream asked us to wait.'),
  headers_too_large: row(431, 'never', 'caller', 'The request headers exceed the limit.'),
  internal: row(500, 'never', 'internal', 'Something went wrong on our side.'),
  upstream_contract_broken: row(502, 'never', 'upstream', 'The upstream sent what it should not.'),
  upstream_unavailable: row(503, 'backoff', 'upstream', 'The upstream cannot be reached.'),
  not_ready: row(
    503,
    'backoff',
    'internal',
    'The service is starting, stopping or has no database.',
  ),
  upstream_timeout: row(
    504,
    'backoff',
    'upstream',
    'The upstream, or a search, was not done in time.',
  ),
  write_outcome_unknown: row(504, 'never', 'upstream', 'The write may or may not have happened.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** One thing that is wrong with an input, with the path that leads to it. */
export interface Fault {
  /** Dotted path from the root of the input, for example `params.limit`. */
  readonly field: string;
  /** Completes the sentence that `field` begins: "must be …". */
  readonly message: string;
  readonly errorCode:
    'missing' | 'unknown' | 'wrong_type' | 'out_of_range' | 'not_allowed' | 'conflict';
  readonly allowed?: string;
  readonly didYouMean?: string;
}

interface CommonDetails {
  readonly entity?: string;
  readonly action?: string;
  /** The upstream accepted the write before this error arose: never repeat it. */
  readonly applied?: true;
  /** Seconds to wait, a whole number; goes out as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** In errors of the hosted client: the request's id at the service, to find it in its logs. */
  readonly requestId?: string;
}

interface UpstreamAnswer {
  /** The upstream's own error code and sentence, where it sent any. */
  readonly upstreamCode?: string;
  readonly upstreamMessage?: string;
  readonly upstreamStatus?: number;
  /** What the upstream says is missing or wrong, for example a scope. */
  readonly upstreamHints?: Readonly<Record<string, string>>;
}

/** What a search had done until it took too much. */
export interface SpentOnSearch {
  /** Where in the params the condition stands that cost most; absent where none was judged by. */
  readonly condition?: string;
  /** Records that no index decided about. */
  readonly recordsJudged: number;
}

/** Why there is nothing to search yet; it decides whether waiting helps. */
export type SearchCause =
  | 'not_started'
  | 'first_read'
  | 'no_worker'
  | 'failed'
  | 'paused'
  | 'config_required'
  | 'reauth_required'
  | 'forbidden';

interface SpecificDetails {
  connector_not_found: {
    readonly id: string;
    /** The ids there are, where the caller chose among them. */
    readonly allowed?: readonly string[];
    readonly didYouMean?: string;
  };
  unknown_connector_type: {
    readonly given: string;
    readonly allowed: readonly string[];
    readonly didYouMean?: string;
    /** Where it was named otherwise than by `connector_type`. */
    readonly faults?: readonly Fault[];
  };
  unknown_entity: { readonly allowed: readonly string[]; readonly didYouMean?: string };
  unsupported_action: { readonly allowed: readonly string[]; readonly didYouMean?: string };
  invalid_params: { readonly faults: readonly Fault[] };
  invalid_request: { readonly faults: readonly Fault[] };
  invalid_query: { readonly faults: readonly Fault[] };
  invalid_credentials: { readonly faults: readonly Fault[] };
  invalid_replication_config: { readonly faults: readonly Fault[] };
  invalid_config: { readonly faults: readonly Fault[] };
  search_not_ready: {
    readonly cause: SearchCause;
    /** What the last attempt to read the entity ran into. */
    readonly problem?: { readonly code: string; readonly message: string };
    /** With `config_required`: the request that mends it. */
    readonly patch?: string;
  };
  search_too_broad: SpentOnSearch;
  account_mismatch: {
    /** Whose the connector's own are, and whose those are that were given; null where nobody knows. */
    readonly present: Account | null;
    readonly given: Account | null;
  };
  quota_exceeded: {
    readonly limit: number;
    /** Whose quota it is. */
    readonly of: 'external_user' | 'application' | 'connect_session';
  };
  config_required: { readonly missing: readonly string[]; readonly patch?: string };
  invalid_cursor: UpstreamAnswer;
  record_not_found: UpstreamAnswer;
  credentials_rejected: UpstreamAnswer;
  upstream_forbidden: UpstreamAnswer;
  upstream_rejected: UpstreamAnswer;
  upstream_rate_limited: UpstreamAnswer;
  upstream_unavailable: UpstreamAnswer;
  upstream_timeout: UpstreamAnswer & Partial<SpentOnSearch> & { readonly timeoutMs?: number };
  upstream_contract_broken: UpstreamAnswer;
  write_outcome_unknown: UpstreamAnswer & {
    /** How to find out whether the write happened. */
    readonly howToFindOut?: string;
    /** In hosted mode: with this key, the call may be repeated for 24 hours. */
    readonly idempotencyKey?: string;
  };
}

/** What an error of code `C` carries besides its message; JSON-safe, never a credential. */
export type ErrorDetails<C extends ErrorCode = ErrorCode> = CommonDetails &
  (C extends keyof SpecificDetails ? SpecificDetails[C] : unknown);

const BRAND = Symbol.for('patchbay.ConnectorError');

/**
 * The one error class. Branch on `code`; the message says what was given and what would work, and
 * may change. Test with `isConnectorError`, since `instanceof` fails across duplicate packages.
 */
export class ConnectorError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ConnectorError';
  readonly code: C;
  readonly status: number;
  readonly retry: Retry;
  readonly details: ErrorDetails<C>;

  constructor(
    code: C,
    details: ErrorDetails<C>,
    options: { readonly message?: string; readonly retry?: Retry; readonly cause?: unknown } = {},
  ) {
    const { message = ERRORS[code].summary, cause } = options;
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.retry = details.applied === true ? 'never' : (options.retry ?? ERRORS[code].retry);
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** What a log needs: `JSON.stringify` leaves the message of an error out. Neither stack nor cause. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { name, message, code, status, retry, details } = this;
    return { name, message, code, status, retry, details };
  }
}

/** Whether `error` is a `ConnectorError`, of any copy of this package; of `code` where given. */
export function isConnectorError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is ConnectorError<C> {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}

/** The faults an error lists, or none. */
export function faultsOf(error: ConnectorError): readonly Fault[] {
  // Only codes whose details declare `faults: readonly Fault[]` have that member.
  return 'faults' in error.details ? (error.details.faults as readonly Fault[]) : [];
}

/** A fault with its subject: `params.limit must be an integer, got "ten"`. */
export function faultText({ field, message }: Fault): string {
  return `${field} ${message}`;
}

/** Faults in one line. */
export function faultsText(faults: readonly Fault[]): string {
  return faults.map(faultText).join('; ');
}

/** The error for faults of a request that are not of its params alone. */
export function invalidRequest(faults: readonly Fault[]): ConnectorError<'invalid_request'> {
  const told = `The request is wrong: ${faultsText(faults)}`;
  const message = told.endsWith('?') ? told : `${told}.`;
  return new ConnectorError('invalid_request', { faults }, { message });
}

// oxlint-disable-next-line max-params -- A row of the table above.
function row(status: number, retry: Retry, group: ErrorGroup, summary: string): ErrorRow {
  return { status, retry, group, summary };
}
