import type { ConnectorKind } from '@patchbay/connectors';
import { findKind, type CheckedCredentials } from '@patchbay/connectors/engine';
import type { ConsentRow } from '@patchbay/store';

type Json = Readonly<Record<string, unknown>>;

/** What becomes of the credentials that a consent gives. */
export type ConsentPurpose =
  | {
      readonly for: 'connector';
      readonly name: string;
      readonly replicationConfig: Json | null;
      /** The connector that gets them, instead of a new one. */
      readonly connectorId?: string;
      /** Where the person goes back to; on the application's list. */
      readonly redirectUrl: string;
      /** Whom the page calls the external user. */
      readonly userLabel?: string;
    }
  | { readonly for: 'session'; readonly sessionId: string };

/** What somebody wants a person's consent for. */
export interface ConsentRequest {
  readonly applicationId: string;
  readonly externalUserId: string;
  readonly kind: ConnectorKind;
  /** Checked. */
  readonly config: Json;
  readonly purpose: ConsentPurpose;
}

/** A consent that is under way. */
export interface OpenConsent extends ConsentRequest {
  /** The app that it is asked for with. */
  readonly clientId: string;
  /** Whether that is the application's own; `undefined` where it was not noted. */
  readonly isOwnApp: boolean | undefined;
  readonly codeVerifier: string | undefined;
}

/** What was consented to, for whoever asked through a connect session. */
export interface SessionConsents {
  receive(
    sessionId: string,
    given: {
      readonly kind: ConnectorKind;
      readonly config: Json;
      readonly credentials: CheckedCredentials;
    },
  ): Promise<void>;
  decline(
    sessionId: string,
    error: { readonly code: string; readonly message: string },
  ): Promise<void>;
}

/** What the table keeps of it, as `fromRow` reads it. */
export function requestOf({ config, purpose, clientId, isOwnApp }: OpenConsent): Json {
  return { config, purpose, clientId, isOwnApp };
}

type Noted = Pick<OpenConsent, 'config' | 'purpose' | 'clientId'> &
  Partial<Pick<OpenConsent, 'isOwnApp'>>;

/** A consent as it was opened, but for its verifier. */
export function fromRow(row: ConsentRow): Omit<OpenConsent, 'codeVerifier'> {
  const { applicationId, externalUserId } = row;
  // Written by `requestOf`, and by nobody else.
  const request = row.request as unknown as Noted;
  return {
    isOwnApp: undefined,
    ...request,
    applicationId,
    externalUserId,
    kind: findKind(row.kind),
  };
}
