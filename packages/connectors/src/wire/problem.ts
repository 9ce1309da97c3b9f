import { Type, type TObject } from 'typebox';
import { ERRORS, type ErrorCode, type Fault, type Retry } from '../errors.ts';
import { Account } from './account.ts';
import { anyObject, count, oneOfOpen, orNull, recordOf, text, uuid, type Wire } from './shape.ts';

/** What can be wrong with a member of a request. */
export const FAULT_CODES = [
  'missing',
  'unknown',
  'wrong_type',
  'out_of_range',
  'not_allowed',
  'conflict',
] as const satisfies readonly Fault['errorCode'][];

/** What the caller may do about an error. */
export const RETRIES = ['never', 'after', 'backoff', 'reauth'] as const satisfies readonly Retry[];

/** One thing that is wrong with a request. */
export const ProblemFault = Type.Object({
  field: text('Dotted path, for example `params.limit`.'),
  message: text('Names its subject by itself: "params.limit must be …".'),
  error_code: oneOfOpen(FAULT_CODES),
  details: Type.Object({
    allowed: Type.Optional(text('What would be right, in words.')),
    did_you_mean: Type.Optional(text()),
  }),
});
export type ProblemFault = Wire<typeof ProblemFault>;

/** Every failure. @see https://www.rfc-editor.org/rfc/rfc9457 */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri' }),
    title: text('Of the code, always the same.'),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: text('What was wrong, and what would work.'),
    // The table is what this version has; its keys are the codes.
    code: oneOfOpen(Object.keys(ERRORS) as ErrorCode[]),
    retry: oneOfOpen(RETRIES),
    request_id: uuid(),
    message: text('The same as detail.'),
    errors: Type.Array(ProblemFault, { description: 'Everything that is wrong with the request.' }),
    details: Type.Optional(anyObject('What the code says of itself, by code.')),
  },
  {
    description: 'Every failure. Branch on `code`; `retry` says whether repeating can help.',
  },
);
export type Problem = Wire<typeof Problem>;

const optionalText = (description?: string) => Type.Optional(text(description));
const names = Type.Array(text());

/** Any code may come with these. */
const common = {
  entity: optionalText(),
  action: optionalText(),
  applied: Type.Optional(
    Type.Literal(true, { description: 'The upstream accepted the write: never repeat it.' }),
  ),
  retry_after_seconds: Type.Optional(Type.Number({ description: 'As in `Retry-After`.' })),
};
const upstreamAnswer = {
  upstream_code: optionalText('What the upstream calls the error.'),
  upstream_message: optionalText(),
  upstream_status: Type.Optional(Type.Integer({ description: 'HTTP status.' })),
  upstream_hints: Type.Optional(recordOf(Type.String())),
};
const costliestCondition = optionalText('Where in the params the condition stands that cost most.');
const didYouMean = { did_you_mean: optionalText() };
const specific = {
  connector_not_found: { id: text(), allowed: Type.Optional(names), ...didYouMean },
  unknown_connector_type: { given: text(), allowed: names, ...didYouMean },
  unknown_entity: { allowed: names, ...didYouMean },
  unsupported_action: { allowed: names, ...didYouMean },
  search_not_ready: {
    cause: oneOfOpen([
      'not_started',
      'first_read',
      'no_worker',
      'failed',
      'paused',
      'config_required',
      'reauth_required',
      'forbidden',
    ]),
    problem: Type.Optional(Type.Object({ code: text(), message: text() })),
    patch: optionalText('The request that mends it.'),
  },
  search_too_broad: {
    condition: costliestCondition,
    records_judged: count('Records that no index decided about.'),
  },
  account_mismatch: {
    present: orNull(Account, "The connector's; null where it is not known."),
    given: orNull(Account, 'That of the credentials; null where it is not known.'),
  },
  quota_exceeded: {
    limit: Type.Integer({ description: 'How many there may be.' }),
    of: oneOfOpen(['external_user', 'application', 'connect_session']),
  },
  config_required: { missing: names, patch: optionalText('The request that mends it.') },
  invalid_cursor: upstreamAnswer,
  record_not_found: upstreamAnswer,
  credentials_rejected: upstreamAnswer,
  upstream_forbidden: upstreamAnswer,
  upstream_rejected: upstreamAnswer,
  upstream_rate_limited: upstreamAnswer,
  upstream_unavailable: upstreamAnswer,
  upstream_timeout: {
    ...upstreamAnswer,
    timeout_ms: Type.Optional(count('Of a search: the milliseconds it had.')),
    condition: costliestCondition,
    records_judged: Type.Optional(count('Of a search: records that no index decided about.')),
  },
  upstream_contract_broken: upstreamAnswer,
  write_outcome_unknown: {
    ...upstreamAnswer,
    how_to_find_out: optionalText(),
    idempotency_key: optionalText('With it, the call may be repeated for 24 hours.'),
  },
} satisfies Partial<Record<ErrorCode, object>>;

type Specific = typeof specific;

/** The members of `details` of each code; faults of the request are in `errors`. */
export const PROBLEM_DETAILS = Object.fromEntries(
  Object.keys(ERRORS).map((code) => [code, detailsOf(code)]),
  // Built from the two tables as the type says.
) as {
  readonly [C in ErrorCode]: TObject<
    typeof common & (C extends keyof Specific ? Specific[C] : unknown)
  >;
};

function detailsOf(code: string): TObject {
  const own: Readonly<Record<string, object>> = specific;
  return Type.Object({ ...common, ...own[code] });
}
