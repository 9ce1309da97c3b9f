import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import {
  authorizeUrl,
  missingConfig,
  newCodeVerifier,
  redeemCode,
  wellFormedText,
  type CheckedCredentials,
  type OAuthUpstream,
} from '@patchbay/connectors/engine';
import { isStoreError, type Begun, type ConsentRow, type Store } from '@patchbay/store';
import type { ScopedAccess } from '../access/access.ts';
import type { Logger } from '../log.ts';
import type { Connectors } from '../operations/connectors.ts';
import { engineUpstream, type UpstreamSettings } from '../operations/upstreams.ts';
import type { Vault } from '../vault/vault.ts';
import { callbackOf, type Callback } from './callback.ts';
import {
  fromRow,
  requestOf,
  type ConsentRequest,
  type OpenConsent,
  type SessionConsents,
} from './consent-request.ts';
import { ConsentStop } from './consent-stop.ts';
import { cookieFor, cookieGone, hashOf, isSame, newSecret, pressOf, secretIn } from './cookies.ts';
import type { ConsentApp, OAuthApps } from './oauth-apps.ts';

type Json = Readonly<Record<string, unknown>>;

/** What people are told of an application, and what acting for it needs. */
export interface ConsentingApplication {
  readonly name: string;
  readonly organizationId: string;
}

/** How long consents live, and how many there may be. */
export interface ConsentSettings {
  readonly lifeMs: number;
  /** Open at once. */
  readonly perExternalUser: number;
  readonly perApplication: number;
}

export const DEFAULT_CONSENT_SETTINGS: ConsentSettings = {
  lifeMs: 600_000,
  perExternalUser: 20,
  perApplication: 2_000,
};

/** Tokens that were issued and that nothing will use. */
export interface DiscardedTokens {
  readonly consent: ConsentRequest;
  readonly credentials: CheckedCredentials;
}

export interface ConsentsParts {
  readonly store: Pick<Store, 'consents'>;
  readonly apps: OAuthApps;
  readonly connectors: Pick<Connectors, 'establish' | 'reauthorize'>;
  readonly sessions: SessionConsents;
  /** `undefined` for one that is revoked or gone. */
  readonly application: (id: string) => Promise<ConsentingApplication | undefined>;
  /** Where browsers reach the service; `undefined` where nobody has said so. */
  readonly publicUrl: () => string | undefined;
  readonly upstreams: UpstreamSettings;
  /** Told of tokens that no connector got, to revoke them as far as that harms no others. */
  readonly discard: (tokens: DiscardedTokens) => Promise<void>;
  readonly settings: ConsentSettings;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the page says on which a person decides to go on to the vendor. */
export interface StartView {
  readonly applicationName: string;
  /** Whom the application asks for. */
  readonly user: string;
  readonly vendorName: string;
  /** The account at the vendor, where it is known before. */
  readonly subdomain: string | undefined;
  /** A connector that there is already gets other credentials. */
  readonly isReconnect: boolean;
  /** Where the button leads to. */
  readonly goOnUrl: string;
}

/** Where a browser goes next, and the cookie that it gets or loses. */
export interface NextStep {
  readonly location: string;
  readonly cookie: string;
}

/** How a consent failed, as the application is told. */
interface Failure {
  readonly code: 'access_denied' | 'account_mismatch' | 'creation_failed' | 'session_expired';
  readonly message: string;
}

/** One whose state is used up; it can still be ended from elsewhere. */
type TakenConsent = OpenConsent & { readonly begun: Begun };

type Outcome = { readonly connectorId: string } | { readonly failure: Failure } | 'told';

export const START_PATH = '/connect/oauth/start';
export const CALLBACK_PATH = '/connect/oauth/callback';

const CONCLUDE_TIMEOUT_MS = 45_000;
const MAX_DESCRIPTION = 300;
const TOO_MANY_RETRY_SECONDS = 60;
const OURS = 'Something went wrong on our side.';
const ENDED = 'The consent was ended meanwhile, with its user or its application.';

/**
 * Consents of people, from the question to the credentials: each has a state that is good once, for a few
 * minutes, in the browser that went on to the vendor from a page of ours.
 *
 * @see docs/decisions/2026-11-22-consent-is-bound-to-a-browser.md
 */
export class Consents {
  readonly #parts: ConsentsParts;

  constructor(parts: ConsentsParts) {
    this.#parts = parts;
  }

  /** Whether people of an application can be asked for consent to a kind. */
  async isPossible(request: Pick<ConsentRequest, 'applicationId' | 'kind'>): Promise<boolean> {
    const { apps, publicUrl } = this.#parts;
    if (publicUrl() === undefined) return false;
    return (await apps.find(request.applicationId, request.kind)) !== undefined;
  }

  /**
   * The address of our page on which the person begins.
   *
   * @throws `oauth_not_configured`, `invalid_config`; `rate_limited` where too many are open.
   */
  async initiate(request: ConsentRequest): Promise<string> {
    const { state } = await this.#open(request, undefined);
    return this.#startUrl({ state });
  }

  /**
   * Makes a state for the browser that asks: it goes to the vendor at once, with the cookie.
   *
   * @throws as `initiate`.
   */
  async begin(
    request: ConsentRequest,
  ): Promise<{ readonly authorizeUrl: string; readonly cookie: string }> {
    const secret = newSecret();
    const { state, consent, app } = await this.#open(request, secret);
    const { lifeMs } = this.#parts.settings;
    return {
      authorizeUrl: this.#authorizeUrl(consent, app, state),
      cookie: cookieFor(state, secret, lifeMs),
    };
  }

  /**
   * What the first page shows. To show it binds nothing: programs that look at links do so too.
   *
   * @throws ConsentStop
   */
  async show(
    state: string,
    cookies: string | undefined,
  ): Promise<{ readonly view: StartView; readonly cookie: string }> {
    const { consent, application } = await this.#findOpen(state);
    const { purpose, kind, externalUserId, config } = consent;
    if (purpose.for !== 'connector') throw new ConsentStop('unknown');
    const secret = secretIn(cookies, state) ?? newSecret();
    const { subdomain } = config;
    return {
      view: {
        applicationName: application.name,
        user: purpose.userLabel ?? externalUserId,
        vendorName: kind.displayName,
        subdomain: typeof subdomain === 'string' ? subdomain : undefined,
        isReconnect: purpose.connectorId !== undefined,
        goOnUrl: this.#startUrl({ state, press: pressOf(state, secret) }),
      },
      cookie: cookieFor(state, secret, this.#parts.settings.lifeMs),
    };
  }

  /**
   * Binds a consent to the browser in which the button of our page was pressed; it goes on to the vendor.
   *
   * @throws ConsentStop; `oauth_not_configured` where the app has gone meanwhile.
   */
  async goOn(
    { state, press }: { readonly state: string; readonly press: string },
    cookies: string | undefined,
  ): Promise<NextStep> {
    const { row, consent } = await this.#findOpen(state);
    const secret = secretIn(cookies, state);
    if (secret === undefined) throw new ConsentStop('no_cookie');
    if (!isSame(Buffer.from(press), Buffer.from(pressOf(state, secret))))
      throw new ConsentStop('other_browser');
    const { apps, store, settings } = this.#parts;
    const app = await apps.require(consent.applicationId, consent.kind);
    if (app.clientId !== consent.clientId) throw new ConsentStop('expired');
    const codeVerifier = await this.#openVerifier(row);
    if (!(await store.consents.bind(row.stateHash, hashOf(secret))))
      throw new ConsentStop('expired');
    return {
      location: this.#authorizeUrl({ ...consent, codeVerifier }, app, state),
      cookie: cookieFor(state, secret, settings.lifeMs),
    };
  }

  /**
   * Makes sure that there is a consent that this browser comes back from.
   *
   * @throws ConsentStop
   */
  async recognise(
    query: Readonly<Record<string, unknown>>,
    cookies: string | undefined,
  ): Promise<undefined> {
    await this.#findReturned(callbackOf(query).state, cookies);
  }

  /**
   * What the vendor sent a person back with. The first time, in the right browser, the code becomes
   * credentials, and these go where the consent was asked for.
   *
   * @throws ConsentStop where the person cannot be sent anywhere.
   */
  async finish(
    query: Readonly<Record<string, unknown>>,
    cookies: string | undefined,
  ): Promise<NextStep> {
    const callback = callbackOf(query);
    const { state } = callback;
    const { row, consent, application, secretHash } = await this.#findReturned(state, cookies);
    const cookie = cookieGone(state);
    if (secretHash === undefined) {
      const failure = await this.#fail(consent, EXPIRED);
      return { location: this.#way(consent, failure), cookie };
    }
    const { stateHash } = row;
    const codeVerifier = await this.#openVerifier(row);
    if ((await this.#parts.store.consents.take(stateHash, secretHash)) === undefined)
      throw new ConsentStop('unknown');
    const taken = { ...consent, codeVerifier, begun: { of: 'consent', stateHash } } as const;
    const outcome = await this.#conclude(taken, { callback, application });
    return { location: this.#way(consent, outcome), cookie };
  }

  async #open(
    request: ConsentRequest,
    browserSecret: string | undefined,
  ): Promise<{ readonly state: string; readonly consent: OpenConsent; readonly app: ConsentApp }> {
    const { apps, vault, store, settings } = this.#parts;
    const { applicationId, externalUserId, kind } = request;
    const app = await apps.require(applicationId, kind);
    this.#requirePublicUrl();
    const config = this.#configFor(request, app);
    const state = newSecret();
    const stateHash = hashOf(state);
    const codeVerifier = newCodeVerifier(kind);
    const consent = { ...request, config, clientId: app.clientId, codeVerifier };
    const row = {
      stateHash,
      browserHash: browserSecret === undefined ? null : hashOf(browserSecret),
      applicationId,
      externalUserId,
      kind: kind.kind,
      request: requestOf(consent),
      sealedVerifier:
        codeVerifier === undefined ? null : await vault.seal(ownerOf(stateHash), codeVerifier),
    };
    try {
      await store.consents.open(row, settings);
    } catch (error) {
      throw isStoreError(error, 'consents_full') ? tooMany() : error;
    }
    return { state, consent, app };
  }

  /** An app of one account is good for that account; and the vendor's addresses need their config. */
  #configFor({ kind, config: given }: ConsentRequest, { subdomain }: ConsentApp): Json {
    const isOfAccount = subdomain !== undefined && kind.config['subdomain'] !== undefined;
    const config = isOfAccount ? { subdomain, ...given } : given;
    if (isOfAccount && config['subdomain'] !== subdomain)
      throw invalidConfig('subdomain', `must be ${subdomain}: the OAuth app is of that account`);
    const { baseUrl = kind.baseUrl } = engineUpstream(kind, this.#parts.upstreams);
    const [missing] = missingConfig(kind, baseUrl, config);
    if (missing === undefined) return config;
    const expects = kind.config[missing]?.expects ?? 'given';
    throw invalidConfig(missing, `is required for consent: ${expects}`);
  }

  #authorizeUrl(
    { kind, config, codeVerifier }: OpenConsent,
    app: ConsentApp,
    state: string,
  ): string {
    const { baseUrl } = engineUpstream(kind, this.#parts.upstreams);
    const redirectUri = this.#callbackUrl();
    return authorizeUrl({ kind, config, baseUrl }, { app, redirectUri, state, codeVerifier });
  }

  #startUrl(query: Readonly<Record<string, string>>): string {
    const parameters = new URLSearchParams(query).toString();
    return `${this.#requirePublicUrl()}${START_PATH}?${parameters}`;
  }

  #callbackUrl(): string {
    return this.#requirePublicUrl() + CALLBACK_PATH;
  }

  #requirePublicUrl(): string {
    const url = this.#parts.publicUrl();
    if (url !== undefined) return url;
    const message =
      'Nobody can come back from a vendor: set PATCHBAY_PUBLIC_URL to where browsers reach this service, such as https://patchbay.example.com.';
    throw new ConnectorError('oauth_not_configured', {}, { message });
  }

  /**
   * The consent of a state, by the secret of the browser that went on to the vendor with it; whoever comes too late is
   * only told so, and needs none.
   *
   * @throws ConsentStop
   */
  async #findReturned(state: string, cookies: string | undefined) {
    const row = await this.#parts.store.consents.find(hashOf(state));
    if (row === undefined) throw new ConsentStop('unknown');
    const consent = fromRow(row);
    const application = await this.#liveApplication(consent);
    if (row.isExpired) return { row, consent, application, secretHash: undefined };
    const secret = secretIn(cookies, state);
    const secretHash = secret === undefined ? undefined : hashOf(secret);
    const { browserHash } = row;
    if (secretHash === undefined || browserHash === null || !isSame(secretHash, browserHash))
      throw new ConsentStop('other_browser');
    return { row, consent, application, secretHash };
  }

  async #findOpen(state: string) {
    const row = await this.#parts.store.consents.find(hashOf(state));
    if (row === undefined) throw new ConsentStop('unknown');
    if (row.isExpired) throw new ConsentStop('expired');
    const consent = fromRow(row);
    return { row, consent, application: await this.#liveApplication(consent) };
  }

  async #liveApplication({ applicationId }: ConsentRequest): Promise<ConsentingApplication> {
    const application = await this.#parts.application(applicationId);
    if (application === undefined) throw new ConsentStop('unknown');
    return application;
  }

  async #openVerifier({ stateHash, sealedVerifier }: ConsentRow): Promise<string | undefined> {
    if (sealedVerifier === null) return undefined;
    return this.#parts.vault.open(ownerOf(stateHash), sealedVerifier);
  }

  /** The state is used up by now: whatever happens, the person goes on with what came of it. */
  async #conclude(
    consent: TakenConsent,
    parts: { readonly callback: Callback; readonly application: ConsentingApplication },
  ): Promise<Outcome> {
    const { logger } = this.#parts;
    const facts = { application_id: consent.applicationId, kind: consent.kind.kind };
    try {
      const { callback, application } = parts;
      if (callback.error !== undefined)
        return await this.#fail(consent, failureOf(consent, callback.error));
      const signal = AbortSignal.timeout(CONCLUDE_TIMEOUT_MS);
      const credentials = await this.#redeem(consent, callback.code, signal);
      if ('failure' in credentials) return await this.#fail(consent, credentials.failure);
      const outcome = await this.#give({ consent, credentials, application }, signal);
      if (outcome !== 'told' && 'failure' in outcome)
        return await this.#fail(consent, outcome.failure);
      logger.info(facts, 'consent');
      return outcome;
    } catch (err) {
      logger.error({ err, ...facts }, 'What a person consented to could not be stored.');
      return this.#fail(consent, { code: 'creation_failed', message: OURS });
    }
  }

  async #redeem(
    { kind, config, applicationId, clientId, codeVerifier }: OpenConsent,
    code: string,
    signal: AbortSignal,
  ): Promise<CheckedCredentials | { readonly failure: Failure }> {
    const { apps, upstreams, clock } = this.#parts;
    const client = await apps.clientOf(applicationId, kind, clientId);
    if (client === undefined)
      return creationFailed(`The OAuth app for ${kind.displayName} has been replaced meanwhile.`);
    const { baseUrl } = engineUpstream(kind, upstreams);
    const upstream: OAuthUpstream = { kind, config, baseUrl, clock };
    const given = { client, code, redirectUri: this.#callbackUrl(), codeVerifier };
    const redeemed = await redeemCode(upstream, given, signal);
    return redeemed.outcome === 'redeemed'
      ? redeemed.credentials
      : creationFailed(`${redeemed.reason}.`);
  }

  async #give(
    given: {
      readonly consent: TakenConsent;
      readonly credentials: CheckedCredentials;
      readonly application: ConsentingApplication;
    },
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { consent, credentials } = given;
    const { kind, config, purpose, begun } = consent;
    try {
      if (purpose.for === 'session') {
        await this.#parts.sessions.receive(purpose.sessionId, { kind, config, credentials });
        return 'told';
      }
      const { connectorId } = purpose;
      if (connectorId === undefined) return { connectorId: await this.#establish(given, signal) };
      const access = accessOf(consent, given.application, connectorId);
      await this.#parts.connectors.reauthorize(access, connectorId, {
        credentials,
        isConsented: true,
        begun,
        signal,
      });
      return { connectorId };
    } catch (error) {
      const isEnded = isStoreError(error, 'begun_ended');
      // Where something else went wrong, nobody knows whether they are stored after all.
      if (!isEnded && !isConnectorError(error)) throw error;
      await this.#discard({ consent, credentials });
      if (isEnded) return creationFailed(ENDED);
      const { code, message } = error;
      if (code !== 'account_mismatch') return creationFailed(message);
      // What a session says of it is meant for the person; elsewhere it would name the account that there is.
      return { failure: { code, message: purpose.for === 'session' ? message : ACCOUNT_MISMATCH } };
    }
  }

  async #establish(
    {
      consent,
      credentials,
    }: { readonly consent: TakenConsent; readonly credentials: CheckedCredentials },
    signal: AbortSignal,
  ): Promise<string> {
    const { applicationId, externalUserId, kind, config, purpose, begun } = consent;
    if (purpose.for !== 'connector') throw new Error('a session makes its connector itself');
    const { name, replicationConfig } = purpose;
    const owner = { applicationId, externalUserId };
    const connector = { ...owner, kind, name, credentials, config, replicationConfig };
    const row = await this.#parts.connectors.establish(
      { ...connector, mustVerify: true, isConsented: true, begun },
      signal,
    );
    return row.id;
  }

  async #discard(tokens: DiscardedTokens): Promise<void> {
    const { discard, logger } = this.#parts;
    try {
      await discard(tokens);
    } catch (err) {
      const { applicationId, kind } = tokens.consent;
      const facts = { err, application_id: applicationId, kind: kind.kind };
      logger.warn(facts, 'Tokens that nothing uses could not be revoked.');
    }
  }

  /** Tells whoever asked through a session; an application is told by its redirect. */
  async #fail(
    { kind, applicationId, purpose }: ConsentRequest,
    failure: Failure,
  ): Promise<Outcome> {
    const { sessions, logger } = this.#parts;
    const facts = { application_id: applicationId, kind: kind.kind, code: failure.code };
    logger.info(facts, 'consent');
    if (purpose.for === 'connector') return { failure };
    try {
      await sessions.decline(purpose.sessionId, failure);
    } catch (err) {
      logger.error({ err, ...facts }, 'A connect session could not be told of a failure.');
    }
    return 'told';
  }

  /** Where the person goes now: always to an address that is known from before. */
  #way({ purpose }: ConsentRequest, outcome: Outcome): string {
    if (purpose.for === 'session') {
      const query = new URLSearchParams({ session: purpose.sessionId }).toString();
      return `${this.#requirePublicUrl()}/connect?${query}`;
    }
    const url = new URL(purpose.redirectUrl);
    for (const name of ['connector_id', 'error', 'error_description'])
      url.searchParams.delete(name);
    if (outcome === 'told') return url.href;
    if ('connectorId' in outcome) url.searchParams.set('connector_id', outcome.connectorId);
    else {
      const { code, message } = outcome.failure;
      url.searchParams.set('error', code);
      url.searchParams.set('error_description', wellFormedText(message).slice(0, MAX_DESCRIPTION));
    }
    return url.href;
  }
}

const EXPIRED: Failure = {
  code: 'session_expired',
  message: 'It took too long to consent; ask for consent again.',
};

const ACCOUNT_MISMATCH =
  'The account or person that consented is not the one that the connector is of; nothing was changed.';

/** What vendors call their errors; anything else is not passed on. */
const VENDOR_CODE = /^[a-z_]{1,40}$/;

function failureOf({ kind: { displayName } }: ConsentRequest, error: string): Failure {
  if (error === 'access_denied')
    return { code: 'access_denied', message: `The person did not allow it at ${displayName}.` };
  const told = VENDOR_CODE.test(error) ? error : 'an error';
  return { code: 'creation_failed', message: `${displayName} asked nobody: ${told}.` };
}

function creationFailed(message: string): { readonly failure: Failure } {
  return { failure: { code: 'creation_failed', message } };
}

/** The person who consented acts for that external user, and on nothing but that connector. */
function accessOf(
  { applicationId, externalUserId }: ConsentRequest,
  { organizationId }: ConsentingApplication,
  connectorId: string,
): ScopedAccess {
  return {
    type: 'scoped',
    applicationId,
    organizationId,
    externalUserId,
    access: 'write',
    connectorIds: new Set([connectorId]),
  };
}

function ownerOf(stateHash: Uint8Array) {
  return `consent:${Buffer.from(stateHash).toString('base64url')}` as const;
}

function invalidConfig(name: string, problem: string): ConnectorError<'invalid_config'> {
  const field = `config.${name}`;
  const fault = { field, errorCode: 'not_allowed', message: problem } as const;
  const message = `The config is wrong: ${field} ${problem}`;
  return new ConnectorError('invalid_config', { faults: [fault] }, { message });
}

function tooMany(): ConnectorError<'rate_limited'> {
  const message =
    'As many consents are under way as there may be at once; those that nobody finishes end by themselves.';
  const details = { retryAfterSeconds: TOO_MANY_RETRY_SECONDS };
  return new ConnectorError('rate_limited', details, { message });
}
