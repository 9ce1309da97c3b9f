import { Type } from 'typebox';
import { ConnectorError, type ConnectorKind } from '@patchbay/connectors';
import type { ConnectorRow } from '@patchbay/store';
import { isUuid } from '../uuid.ts';
import { checkKind } from './connector-input.ts';
import { checkBody, FaultList, unifySynonyms } from './input.ts';

/** The largest and the default page of connectors. */
export const MAX_PAGE = 1_000;

/** Where a page of connectors begins: after this one. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface ListQuery {
  readonly externalUserId: string | undefined;
  readonly kind: ConnectorKind | undefined;
  readonly limit: number;
  readonly after: ListPosition | undefined;
}

const TEXT = { schema: Type.String(), isRequired: false, expects: 'a single value' };

const FILTERS = { external_user_id: TEXT, connector_type: TEXT, definition_id: TEXT } as const;
const PAGED = {
  ...FILTERS,
  limit: {
    schema: Type.String({ pattern: '^(?:[1-9]\\d{0,2}|1000)$' }),
    isRequired: false,
    expects: `an integer from 1 to ${MAX_PAGE}`,
  },
  cursor: TEXT,
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
  const kind = checkKind(values, faults, { isRequired: false });
  const { external_user_id: externalUserId, limit, cursor } = values;
  const after = typeof cursor === 'string' ? faults.collect(() => parseCursor(cursor)) : undefined;
  faults.throwAny();
  return {
    externalUserId: typeof externalUserId === 'string' ? externalUserId : undefined,
    kind,
    limit: typeof limit === 'string' ? Number(limit) : MAX_PAGE,
    after,
  };
}

/** The cursor of the page after a row. */
export function cursorAfter({ createdAt, id }: ConnectorRow): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

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
