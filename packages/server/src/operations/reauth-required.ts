import { ConnectorError } from '@patchbay/connectors';

/** The error for what needs credentials that the upstream takes. */
export function reauthRequired(): ConnectorError<'reauth_required'> {
  return new ConnectorError(
    'reauth_required',
    {},
    {
      message:
        'The upstream refused the credentials of this connector; PATCH new credentials, or let a check pass.',
    },
  );
}
