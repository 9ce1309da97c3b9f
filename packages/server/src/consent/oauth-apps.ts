import { ConnectorError, type Clock, type ConnectorKind } from '@patchbay/connectors';
import { consentMethodOf, type OAuthApp } from '@patchbay/connectors/engine';
import type { OAuthAppRow, Store } from '@patchbay/store';
import { newUuid } from '../uuid.ts';
import type { Vault } from '../vault/vault.ts';

/** An app that consent is asked for with. */
export interface ConsentApp extends OAuthApp {
  /** The account that the app is good for, where the vendor has apps of one account. */
  readonly subdomain?: string | undefined;
}

/** An app that people can be asked with, and whose it is. */
export interface FoundApp extends ConsentApp {
  /** The application's own, not the operator's. */
  readonly isOwn: boolean;
}

/** The operator's apps, by kind name: all applications may use them. */
export type OperatorApps = Readonly<Record<string, ConsentApp | undefined>>;

export interface OAuthAppsParts {
  readonly store: Pick<Store, 'oauthApps'>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly operatorApps: OperatorApps;
}

/** The environment variable of an operator's app. */
export function appVariable(
  kindName: string,
  member: 'CLIENT_ID' | 'CLIENT_SECRET' | 'SCOPES' | 'SUBDOMAIN',
): string {
  return `PATCHBAY_OAUTH_${kindName.replaceAll('-', '_').toUpperCase()}_${member}`;
}

/** The apps that consent is asked for with: an application's own, or else the operator's. */
export class OAuthApps {
  readonly #parts: OAuthAppsParts;

  constructor(parts: OAuthAppsParts) {
    this.#parts = parts;
  }

  /** The app with which people of an application consent; its own wins over the operator's. */
  async find(applicationId: string, kind: ConnectorKind): Promise<FoundApp | undefined> {
    if (consentMethodOf(kind) === undefined) return undefined;
    const own = await this.#own(applicationId, kind);
    if (own !== undefined) return { ...own, isOwn: true };
    const operators = this.#parts.operatorApps[kind.kind];
    return operators && { ...operators, isOwn: false };
  }

  /** @throws `oauth_not_configured`, which says what to set. */
  async require(applicationId: string, kind: ConnectorKind): Promise<FoundApp> {
    const app = await this.find(applicationId, kind);
    if (app !== undefined) return app;
    throw notConfigured(kind);
  }

  /**
   * The app that a consent was asked for with, as it is now. An application may give the operator's client id as its own,
   * with other scopes or for another account: the operator's secret is not for what that was asked.
   *
   * @param asked.isOwn `undefined` where it was asked by a process that did not note it.
   */
  async askedWith(
    applicationId: string,
    kind: ConnectorKind,
    asked: { readonly clientId: string; readonly isOwn: boolean | undefined },
  ): Promise<OAuthApp | undefined> {
    const { clientId, isOwn } = asked;
    if (isOwn === undefined) return this.clientOf(applicationId, kind, clientId);
    const app = isOwn ? await this.#own(applicationId, kind) : this.#parts.operatorApps[kind.kind];
    return app?.clientId === clientId ? app : undefined;
  }

  /**
   * The app of that client id, as it is now: what credentials were issued to, whichever app people
   * consent with by now.
   */
  async clientOf(
    applicationId: string,
    kind: ConnectorKind,
    clientId: string,
  ): Promise<OAuthApp | undefined> {
    const [first] = await this.clientsOf(applicationId, kind, clientId);
    return first;
  }

  /** All apps of that client id: the application's own, and the operator's, which takes its place once that is deleted. */
  async clientsOf(
    applicationId: string,
    kind: ConnectorKind,
    clientId: string,
  ): Promise<readonly OAuthApp[]> {
    const apps = [await this.#own(applicationId, kind), this.#parts.operatorApps[kind.kind]];
    return apps.flatMap((app) => (app?.clientId === clientId ? [app] : []));
  }

  /** Stores an application's own app in place of the one before. */
  async put(applicationId: string, kind: ConnectorKind, app: ConsentApp): Promise<OAuthAppRow> {
    const { store, vault, clock } = this.#parts;
    const sealedApp = await vault.seal(ownerOf(applicationId, kind.kind), JSON.stringify(app));
    const id = newUuid(clock.now());
    return store.oauthApps.put({ id, applicationId, kind: kind.kind, sealedApp });
  }

  /** An application's own apps, by kind. */
  async list(applicationId: string): Promise<readonly OAuthAppRow[]> {
    return this.#parts.store.oauthApps.list(applicationId);
  }

  /** Deletes an application's own app; an absent one is no error. */
  async delete(applicationId: string, kind: ConnectorKind): Promise<void> {
    await this.#parts.store.oauthApps.delete(applicationId, kind.kind);
  }

  async #own(applicationId: string, { kind }: ConnectorKind): Promise<ConsentApp | undefined> {
    const { store, vault } = this.#parts;
    const row = await store.oauthApps.find(applicationId, kind);
    if (row === undefined) return undefined;
    // Sealed by `put`, and by nobody else: an app, as it was.
    return JSON.parse(await vault.open(ownerOf(applicationId, kind), row.sealedApp)) as ConsentApp;
  }
}

function ownerOf(applicationId: string, kindName: string) {
  return `oauth-app:${applicationId}:${kindName}` as const;
}

function notConfigured(kind: ConnectorKind): ConnectorError<'oauth_not_configured'> {
  const { kind: name, displayName } = kind;
  const message =
    consentMethodOf(kind) === undefined
      ? `${displayName} takes credentials only, no consent.`
      : `There is no OAuth app for ${displayName}: set ${appVariable(name, 'CLIENT_ID')} and ${appVariable(name, 'CLIENT_SECRET')}, or give the application one of its own with PUT /api/v1/oauth/credentials.`;
  return new ConnectorError('oauth_not_configured', {}, { message });
}
