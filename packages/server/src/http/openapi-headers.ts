import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

const INTEGER = { type: 'integer', minimum: 0 };

/**
 * The headers of answers that tell a program something, as OpenAPI describes them.
 *
 * @see docs/wire.md#headers
 */
export const HEADERS = {
  'X-Request-Id': {
    description: "The id of the call, as in `request_id` and the service's log.",
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': {
    description: 'Calls a minute; only where the service or the application has a rate limit.',
    schema: INTEGER,
  },
  'RateLimit-Remaining': { description: 'Calls that are left of the minute.', schema: INTEGER },
  'RateLimit-Reset': { description: 'Seconds until the next minute begins.', schema: INTEGER },
  'Retry-After': { description: 'Seconds to wait, where that helps.', schema: INTEGER },
  'WWW-Authenticate': {
    description: '`Bearer`, of 401.',
    schema: { type: 'string' },
  },
  'Server-Timing': {
    description: 'Where the time went: `wait`, `upstream`, `total`, in milliseconds.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` where the answer is that of an earlier call with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: { description: 'Where what was made is.', schema: { type: 'string' } },
  ETag: { description: 'For `If-None-Match`.', schema: { type: 'string' } },
} as const;

type HeaderName = keyof typeof HEADERS;

const RATE: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Those of the successful answers of a route. */
export function headersOfSuccess(route: Route): Json {
  const { isTagged, status } = route.doc;
  return refsTo([
    ...headersOfAny(route),
    ...(isTagged === true ? (['ETag'] as const) : []),
    ...(status === 201 ? (['Location'] as const) : []),
  ]);
}

/** Those of its failures. */
export function headersOfFailure(route: Route): Json {
  return refsTo([...headersOfAny(route), 'Retry-After', 'WWW-Authenticate']);
}

function headersOfAny({ reach, tellsTimes, doc }: Route): readonly HeaderName[] {
  const hasKey = doc.headers?.some(({ name }) => name === 'Idempotency-Key');
  return [
    'X-Request-Id',
    ...(reach === 'public' ? [] : RATE),
    ...(tellsTimes === true ? (['Server-Timing'] as const) : []),
    ...(hasKey === true ? (['Idempotent-Replayed'] as const) : []),
  ];
}

function refsTo(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
