import { hash } from 'node:crypto';
import {
  ConnectorError,
  isConnectorError,
  type Clock,
  type ConnectorKind,
} from '@patchbay/connectors';
import {
  appIdOf,
  type Account,
  type CheckedCredentials,
  type OAuthClient,
} from '@patchbay/connectors/engine';
import type { ConnectorChange } from '@patchbay/store';
import type { Admission } from '../admission/admission.ts';
import {
  areLost,
  digestCredentials,
  sealCredentials,
  shareRefreshToken,
  shareTokens,
} from '../vault/connector-credentials.ts';
import type { RenewerParts } from '../renewal/renewer.ts';
import type { Vault } from '../vault/vault.ts';
import type { Accounts, GivenToConnector } from './accounts.ts';
import type { Asking } from './asking.ts';
import type { ConnectorPatch } from './connector-input.ts';
import type { LiveConnector } from './live-connector.ts';
import type { LiveConnectors } from './live-connectors.ts';

export interface GivenCredentialsParts {
  readonly live: Pick<LiveConnectors, 'makeTrialEngine' | 'wouldLeave'>;
  readonly accounts: Pick<Accounts, 'askOrNull' | 'judge'>;
  readonly admission: Pick<Admission, 'atUpstream'>;
  /** All apps of that client id that an application may use, now or once another of them has gone. */
  readonly clientsOf: (
    ...of: Parameters<RenewerParts['clientOf']>
  ) => Promise<readonly OAuthClient[]>;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** Somebody waits for what the upstream says. */
const TRY_TIMEOUT_MS = 30_000;

/** What is found out about credentials that somebody gives, before they are a connector's. */
export class GivenCredentials {
  readonly #parts: GivenCredentialsParts;

  constructor(parts: GivenCredentialsParts) {
    this.#parts = parts;
  }

  /**
   * Tries credentials with the first read that the definition names for that; returns whose they are,
   * null where the upstream does not say.
   *
   * @throws what the upstream says of them; `config_required`.
   */
  async try(
    kind: ConnectorKind,
    {
      credentials,
      config,
    }: {
      readonly credentials: CheckedCredentials;
      readonly config: Readonly<Record<string, unknown>>;
    },
    asking: Asking,
  ): Promise<Account | null> {
    const { signal, caller } = asking;
    const engine = this.#parts.live.makeTrialEngine(kind, credentials, config);
    const [first] = kind.checks;
    try {
      if (first !== undefined) {
        const { entity, action, params } = first;
        const options = { signal, timeoutMs: TRY_TIMEOUT_MS };
        await this.#parts.admission.atUpstream(caller, () =>
          engine.execute(entity, action, params, options),
        );
      }
    } catch (error) {
      // The credentials are good; what they may not do shows when it is tried.
      if (!isConnectorError(error, 'upstream_forbidden')) throw error;
    }
    return this.#parts.accounts.askOrNull(engine, asking);
  }

  /**
   * Where credentials that somebody has typed in are to be renewed with an app that people are asked with here, that has to be
   * theirs: client ids are no secret, and with a refresh token of somebody else's the service would lend them its secret.
   *
   * @throws `invalid_credentials`.
   */
  async requireSecretOfApp(
    kind: ConnectorKind,
    {
      applicationId,
      credentials,
    }: { readonly applicationId: string; readonly credentials: CheckedCredentials },
  ): Promise<void> {
    const clientId = appIdOf(kind, credentials);
    if (clientId === undefined) return;
    const secret = credentials.values['client_secret'] ?? '';
    const apps = await this.#parts.clientsOf(applicationId, kind, clientId);
    if (apps.every(({ clientSecret }) => isSameSecret(secret, clientSecret))) return;
    const field = 'credentials.client_secret';
    const message = 'must be that of the client, whose refresh_token is given';
    const faults = [{ field, errorCode: 'not_allowed', message } as const];
    throw new ConnectorError(
      'invalid_credentials',
      { faults },
      { message: `The credentials of ${kind.kind} are wrong: ${field} ${message}.` },
    );
  }

  /**
   * What a patch changes of a connector: besides what it says, what its credentials do, and another address to use
   * those at that are there.
   *
   * @throws `account_mismatch`; what the upstream says of them.
   */
  async changeOf(
    known: LiveConnector,
    { credentials, isConsented, keepsClientSecret = false, mayReplace, ...rest }: ConnectorPatch,
    asking: Asking,
  ): Promise<ConnectorChange> {
    const config = rest.config ?? known.row.config;
    const given = {
      credentials: credentials ?? known.credentials(),
      isConsented,
      config,
      mayReplace,
    };
    const isElsewhere = this.#parts.live.wouldLeave(known, config);
    if (credentials === undefined && !isElsewhere) return rest;
    const options = { isElsewhere, keepsClientSecret, asking };
    return { ...rest, ...(await this.#changeOfCredentials(known, given, options)) };
  }

  /**
   * What given credentials change, those that are there among them where they are to be used elsewhere; else nothing
   * where they are the same ones, as given before or as renewed since.
   */
  async #changeOfCredentials(
    known: LiveConnector,
    given: GivenToConnector,
    {
      isElsewhere,
      keepsClientSecret,
      asking,
    }: {
      readonly isElsewhere: boolean;
      readonly keepsClientSecret: boolean;
      readonly asking: Asking;
    },
  ): Promise<ConnectorChange> {
    const { row, kind, credentials: present } = known;
    const { isConsented, credentials } = given;
    const sealing = { ...this.#parts, kind, connectorId: row.id };
    const credentialsDigest = digestCredentials(sealing, credentials);
    // The same ones mend what was damaged.
    const isAsGiven = credentialsDigest === row.credentialsDigest && !areLost(present());
    const isSame = isAsGiven || credentialsDigest === digestCredentials(sealing, present());
    if (isSame && !isElsewhere) return row.credentialsDigest === null ? { credentialsDigest } : {};
    if (!isSame && isConsented !== true && !isOfSameGrant(credentials, present())) {
      // The secret that a consent, or somebody else, has left with the connector is lent no more than that of the service.
      const own = keepsClientSecret ? withoutSecret(credentials) : credentials;
      await this.requireSecretOfApp(kind, { applicationId: row.applicationId, credentials: own });
    }
    const used = isSame ? { ...given, credentials: present(), isPresent: true } : given;
    // Whoever changes the client of tokens that have ended has nothing else that the upstream could be asked with.
    const isOfPresent = !isElsewhere && shareTokens(kind, credentials, present());
    const { account, isAnother, isKnownOther } = isOfPresent
      ? { account: row.account, isAnother: false, isKnownOther: false }
      : await this.#parts.accounts.judge(known, used, asking);
    return {
      ...(isSame
        ? {}
        : { credentials: await sealCredentials(sealing, credentials, { isConsented }) }),
      account,
      ...(isAnother ? { replacesAccount: true } : {}),
      // Of the same account the old ones may be, or share, what is given now.
      ...(isKnownOther && !isSame ? { revokesReplaced: true } : {}),
      ...(row.state === 'reauth_required' ? { state: 'pending' } : {}),
    };
  }
}

/** Whether both are renewed with the same refresh token, for the same client. */
function isOfSameGrant(one: CheckedCredentials, other: CheckedCredentials): boolean {
  return shareRefreshToken(one, other) && one.values['client_id'] === other.values['client_id'];
}

function withoutSecret({ method, values }: CheckedCredentials): CheckedCredentials {
  const { client_secret: _, ...rest } = values;
  return { method, values: rest };
}

/** Their digests are compared, which tell nothing by their time. */
function isSameSecret(one: string, other: string): boolean {
  return hash('sha256', one) === hash('sha256', other);
}
