import { Type } from 'typebox';
import { ConnectorError, type ConnectorKind } from '@patchbay/connectors';
import { isUuid, type ConnectorStatus } from '@patchbay/store';
import { checkKind } from './connector-input.ts';
import { checkBody, externalUserFaults, FaultList, unifySynonyms } from './input.ts';

/** The largest and the default page of connectors. */
export const MAX_PAGE = 1_000;

/** Longest text that connectors are looked for by. */
export const MAX_TEXT = 255;

/** The statuses that connectors are looked for by. */
export const STATUSES = [
  'pending',
  'active',
  'degraded',
  'reauth_required',
  'paused',
  'disabled',
] as const satisfies readonly ConnectorStatus[];

/** Where a page begins: after this one. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageQuery {
  readonly limit: number;
  readonly after: ListPosition | undefined;
}

export interface ListQuery extends PageQuery {
  readonly applicationId: string | undefined;
  readonly externalUserId: string | undefined;
  readonly kind: ConnectorKind | undefined;
  readonly status: ConnectorStatus | undefined;
  readonly contains: string | undefined;
}

const TEXT = { schema: Type.String(), isRequired: false, expects: 'a single value' };

/** The members of a query that say which page it asks for. */
export const PAGE = {
  limit: {
    schema: Type.String({ pattern: '^(?:[1-9]\\d{0,2}|1000)$' }),
    isRequired: false,
    expects: `an integer from 1 to ${MAX_PAGE}`,
  },
  cursor: TEXT,
} as const;

const FILTERS = {
  application_id: TEXT,
  external_user_id: TEXT,
  connector_type: TEXT,
  definition_id: TEXT,
} as const;
const PAGED = {
  ...FILTERS,
  status: {
    schema: Type.Enum([...STATUSES]),
    isRequired: false,
    expects: `one of ${STATUSES.join(', ')}`,
  },
  q: {
    schema: Type.String({ minLength: 1, maxLength: MAX_TEXT }),
    isRequired: false,
    expects: `a text of 1 to ${MAX_TEXT} characters`,
  },
  ...PAGE,
} as const;

/**
 * Checks the query of a list of connectors.
 *
 * @throws `invalid_request` with every fault, `unknown_connector_type`, `invalid_cursor`.
 */
export function checkListQuery(
  query: Readonly<Record<string, unknown>>,
  options: { readonly isPaged: boolean; readonly requiresExternalUser: boolean },
): ListQuery {
  const faults = new FaultList();
  const input = unifySynonyms(query, 'external_user_id', faults);
  const members = {
    ...(options.isPaged ? PAGED : FILTERS),
    external_user_id: { ...TEXT, isRequired: options.requiresExternalUser },
  };
  const values = checkBody(members, input, faults);
  faults.add(...externalUserFaults(values['external_user_id']));
  const kind = checkKind(values, faults, { isRequired: false });
  const { application_id: applicationId, external_user_id: externalUserId, limit, cursor } = values;
  const page = pageOf({ limit, cursor }, faults);
  faults.throwAny();
  return {
    applicationId: typeof applicationId === 'string' ? applicationId.toLowerCase() : undefined,
    externalUserId: typeof externalUserId === 'string' ? externalUserId : undefined,
    kind,
    status: STATUSES.find((each) => each === values['status']),
    contains: typeof values['q'] === 'string' ? values['q'] : undefined,
    ...page,
  };
}

/**
 * Checks the query of a list that has pages and nothing else to choose from.
 *
 * @throws `invalid_request` with every fault, `invalid_cursor`.
 */
export function checkPageQuery(query: Readonly<Record<string, unknown>>): PageQuery {
  const faults = new FaultList();
  const page = pageOf(checkBody(PAGE, query, faults), faults);
  faults.throwAny();
  return page;
}

/** The page that a checked query asks for; faults of its cursor are added. */
export function pageOf(
  { limit, cursor }: Readonly<Record<string, unknown>>,
  faults: FaultList,
): PageQuery {
  return {
    limit: typeof limit === 'string' ? Number(limit) : MAX_PAGE,
    after: typeof cursor === 'string' ? faults.collect(() => parseCursor(cursor)) : undefined,
  };
}

/** The cursor of the page after what is there at a position. */
function cursorAfter({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

/**
 * A page of the rows that were asked for, one more than it takes, and the cursor of the page after it; null where there
 * is none.
 */
export function pageFrom<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => ListPosition,
): { readonly page: readonly Row[]; readonly next: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, next: hasMore ? cursorAfter(positionOf(last)) : null };
}

/** @throws `invalid_cursor`. */
function parseCursor(cursor: string): ListPosition {
  const [time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split('.');
  if (!/^\d{1,15}$/.test(time) || !isUuid(id) || rest.length > 0)
    throw new ConnectorError(
      'invalid_cursor',
      {},
      { message: 'The cursor is not one that this list gave; begin without a cursor.' },
    );
  return { createdAt: new Date(Number(time)), id };
}
