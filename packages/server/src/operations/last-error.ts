import type { LastError } from '@patchbay/connectors/wire';
import type { ConnectorRow, CopyStanding } from '@patchbay/store';
import { reauthRequired } from './reauth-required.ts';

/** What is wrong with a connector: credentials that are refused come before a sync that failed. */
export function lastErrorOf(
  row: ConnectorRow,
  { problem, stateChangedAt }: CopyStanding,
): LastError | null {
  if (row.state === 'reauth_required') {
    const { code, message } = reauthRequired(row);
    return { code, message, at: stateChangedAt.toISOString() };
  }
  if (problem === null) return null;
  const { code, message, at } = problem;
  return { code, message, at: at.toISOString() };
}
