import { Type } from 'typebox';
import type { ConnectSession } from '@patchbay/store';
import { checkBody, FaultList } from '../operations/input.ts';
import { PAGE, pageOf, type PageQuery } from '../operations/list-query.ts';

/** What sessions are looked for by. */
export const SESSION_STATUSES = [
  'open',
  'unconfirmed',
  'succeeded',
  'expired',
] as const satisfies readonly ConnectSession['shownStatus'][];

export interface SessionQuery extends PageQuery {
  readonly applicationId: string | undefined;
  readonly status: ConnectSession['shownStatus'] | undefined;
}

const MEMBERS = {
  application_id: { schema: Type.String(), isRequired: false, expects: 'a single value' },
  status: {
    schema: Type.Enum([...SESSION_STATUSES]),
    isRequired: false,
    expects: `one of ${SESSION_STATUSES.join(', ')}`,
  },
  ...PAGE,
} as const;

/**
 * Checks the query of a list of connect sessions.
 *
 * @throws `invalid_request` with every fault, `invalid_cursor`.
 */
export function checkSessionQuery(query: Readonly<Record<string, unknown>>): SessionQuery {
  const faults = new FaultList();
  const values = checkBody(MEMBERS, query, faults);
  const page = pageOf(values, faults);
  faults.throwAny();
  const { application_id: applicationId, status } = values;
  return {
    applicationId: typeof applicationId === 'string' ? applicationId.toLowerCase() : undefined,
    status: SESSION_STATUSES.find((each) => each === status),
    ...page,
  };
}
