import type { ConnectorKind } from './vocabulary/index.ts';
import type { Warning } from './warning.ts';

/** What is known of how credentials go on; nothing of themselves. */
export interface CredentialsLife {
  readonly kind: ConnectorKind;
  /** Name of their auth method. */
  readonly method: string;
  /** They are renewed without a person. */
  readonly isRenewable: boolean;
  /** When the access token ends; null where nothing is known of an end. */
  readonly endsAt: Date | null;
}

/**
 * The warning `credentials_ending` where credentials end for good unless a person does something: since
 * their token ends and nothing renews it, or by the vendor's announcement. None where no end is known.
 */
export function credentialWarnings(life: CredentialsLife): readonly Warning[] {
  const { kind, method, isRenewable, endsAt } = life;
  const { ending, grants = [] } = kind.auth[method] ?? {};
  if (!isRenewable && endsAt !== null) {
    const instead = grants.includes('refresh_token')
      ? 'credentials with refresh_token, client_id and client_secret, which renew themselves'
      : 'another one';
    const day = endsAt.toISOString();
    return [
      endingAt(endsAt, `The access token ends at ${day}, and nothing renews it: give ${instead}.`),
    ];
  }
  if (ending === undefined || (ending.of === 'unrenewed' && isRenewable)) return [];
  return [endingAt(new Date(`${ending.on}T00:00:00.000Z`), ending.doc)];
}

function endingAt(at: Date, message: string): Warning {
  return { code: 'credentials_ending', message, ends_at: at.toISOString() };
}
