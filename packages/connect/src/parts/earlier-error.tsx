import type { SessionError } from '../session-view.ts';
import { texts } from '../texts/texts.ts';
import { Alert } from './alert.tsx';

/** Why the last attempt that the session knows of connected nothing. */
export function EarlierError({ error }: { readonly error: SessionError | null }) {
  if (error === null) return null;
  return (
    <Alert title={texts.declinedTitle}>
      <p>{error.message}</p>
    </Alert>
  );
}
