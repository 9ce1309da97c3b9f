import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';
import { Alert } from './alert.tsx';

/** Why the last attempt that the session knows of connected nothing. */
export function EarlierError({ error }: { readonly error: ConnectPageSession['error'] }) {
  if (error === null) return null;
  return (
    <Alert title={texts.declinedTitle}>
      <p>{error.message}</p>
    </Alert>
  );
}
