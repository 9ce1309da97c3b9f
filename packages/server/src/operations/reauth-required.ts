import { ConnectorError } from '@patchbay/connectors';
import type { ConnectorRow } from '@patchbay/store';

/** The error for what needs credentials that the upstream takes. */
export function reauthRequired({
  stateReason,
}: Pick<ConnectorRow, 'stateReason'>): ConnectorError<'reauth_required'> {
  const because = stateReason === null ? '' : ` The reason: ${stateReason}`;
  return new ConnectorError(
    'reauth_required',
    {},
    {
      message: `The upstream refused the credentials of this connector; PATCH new credentials, or let a check pass.${because}`,
    },
  );
}
