import { ConnectorError, isConnectorError, type ErrorCode } from '@patchbay/connectors';
import type { Account } from '@patchbay/connectors/engine';
import { forbidden } from '../access/reach.ts';

/** No session of that id is within reach, or none has that link. */
export function sessionNotFound(): ConnectorError<'connect_session_not_found'> {
  const message = 'There is no such connect session, or none any more. Ask for a new one.';
  return told('connect_session_not_found', message);
}

export function sessionTaken(): ConnectorError<'connect_session_taken'> {
  const message =
    'The link was opened in another browser before, and is good in that one only. Ask for a new one.';
  return told('connect_session_taken', message);
}

export function sessionExpired(): ConnectorError<'connect_session_expired'> {
  const message = 'The connect session has expired, and nothing came of it. Ask for a new one.';
  return told('connect_session_expired', message);
}

export function sessionUsed(): ConnectorError<'connect_session_used'> {
  const message =
    'The connect session has been used. To connect something else, ask for a new one.';
  return told('connect_session_used', message);
}

export function sessionStillOpen(): ConnectorError<'connect_session_open'> {
  const message =
    'There is nothing to confirm: the person has not given anything yet. Confirm once the status is "unconfirmed".';
  return told('connect_session_open', message);
}

export function otherExternalUser(): ConnectorError<'external_user_mismatch'> {
  const message =
    'The connect session was made for another external user than the one who came back with it. Nothing was connected: the link may have reached somebody whom it was not meant for.';
  return told('external_user_mismatch', message);
}

export function otherBrowser(): ConnectorError<'forbidden'> {
  return forbidden(
    'The browser that came back was told of another connector than that of the session, or of none: it is not the one that connected. Nothing was connected.',
  );
}

/** The error as the page may tell it: whose the connector is, is nothing for whoever has got hold of a link. */
export function forPage<E>(error: E): E | ConnectorError<'account_mismatch'> {
  if (!isConnectorError(error, 'account_mismatch')) return error;
  const { given } = error.details;
  const message =
    'These credentials are of another account or person than those of the connection, or nobody knows whose they are. Nothing was changed; give those of the same account and person.';
  return new ConnectorError('account_mismatch', { present: null, given }, { message });
}

export function ofNobodyKnown(given: Account | null): ConnectorError<'account_mismatch'> {
  const message =
    'Nobody knows whose account the connection is of, since it has never worked, so a link gives it no other credentials. Nothing was changed; ask for a new connection.';
  return new ConnectorError('account_mismatch', { present: null, given }, { message });
}

export function tooManyAttempts(limit: number): ConnectorError<'quota_exceeded'> {
  const message = `A connect session has ${limit} attempts, and they are used up. Ask for a new link.`;
  return new ConnectorError('quota_exceeded', { limit, of: 'connect_session' }, { message });
}

export function tooManySessions(
  of: 'external_user' | 'application',
  limit: number,
): ConnectorError<'quota_exceeded'> {
  const owner = of.replace('_', ' ');
  const message = `The ${owner} has ${limit} connect sessions open, as many as one may have; each ends by itself within half an hour.`;
  return new ConnectorError('quota_exceeded', { limit, of }, { message });
}

function told<C extends ErrorCode>(code: C, message: string): ConnectorError<C> {
  // None of these codes has details of its own.
  return new ConnectorError(code, {} as ConnectorError<C>['details'], { message });
}
