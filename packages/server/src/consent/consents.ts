import { ConnectorError } from '@patchbay/connectors';
import {
  authorizeUrl,
  missingConfig,
  newCodeVerifier,
  wellFormedText,
} from '@patchbay/connectors/engine';
import { isStoreError, type ConsentRow, type Store } from '@patchbay/store';
import { configPatch } from '../operations/config-required.ts';
import { engineUpstream, type UpstreamSettings } from '../operations/upstreams.ts';
import { newSecret } from '../random-secret.ts';
import type { Vault } from '../vault/vault.ts';
import { callbackOf } from './callback.ts';
import type {
  ConsentEnding,
  ConsentingApplication,
  ConsentFailure,
  ConsentOutcome,
} from './consent-ending.ts';
import { fromRow, requestOf, type ConsentRequest, type OpenConsent } from './consent-request.ts';
import { ConsentStop } from './consent-stop.ts';
import {
  cookieFor,
  cookieGone,
  hashOf,
  isSame,
  oldCookiesGone,
  pressOf,
  secretIn,
} from './cookies.ts';
import type { ConsentApp, OAuthApps } from './oauth-apps.ts';

type Json = Readonly<Record<string, unknown>>;

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

export interface ConsentsParts {
  readonly store: Pick<Store, 'consents'>;
  readonly apps: OAuthApps;
  readonly ending: ConsentEnding;
  /** `undefined` for one that is revoked or gone. */
  readonly application: (id: string) => Promise<ConsentingApplication | undefined>;
  /** Where browsers reach the service; `undefined` where nobody has said so. */
  readonly publicUrl: () => string | undefined;
  readonly upstreams: UpstreamSettings;
  readonly settings: ConsentSettings;
  readonly vault: Vault;
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

export const START_PATH = '/connect/oauth/start';
/**
 * The redirect URL of every OAuth app, below the public URL.
 *
 * @see docs/connect.md#set-up-the-service
 */
export const CALLBACK_PATH = '/connect/oauth/callback';

const MAX_DESCRIPTION = 300;
const TOO_MANY_RETRY_SECONDS = 60;
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
    given: string | undefined,
  ): Promise<{ readonly view: StartView; readonly cookies: readonly string[] }> {
    const { consent, purpose, application } = await this.#findOpen(state);
    const { kind, externalUserId, config } = consent;
    const secret = secretIn(given, state) ?? newSecret();
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
      cookies: [
        ...oldCookiesGone(given, state),
        cookieFor(state, secret, this.#parts.settings.lifeMs),
      ],
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
    const { clientId, isOwnApp = app.isOwn } = consent;
    if (app.clientId !== clientId || app.isOwn !== isOwnApp) throw new ConsentStop('expired');
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
      const failure = await this.#parts.ending.fail(consent, EXPIRED);
      return { location: this.#way(consent, failure), cookie };
    }
    const { stateHash } = row;
    const codeVerifier = await this.#openVerifier(row);
    const returned = { callback, application, redirectUri: this.#callbackUrl() };
    if ((await this.#parts.store.consents.take(stateHash, secretHash)) === undefined)
      throw new ConsentStop('unknown');
    const taken = { ...consent, codeVerifier, begun: { of: 'consent', stateHash } } as const;
    const outcome = await this.#parts.ending.conclude(taken, returned);
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
    const { clientId, isOwn: isOwnApp } = app;
    const consent = { ...request, config, clientId, isOwnApp, codeVerifier };
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

  /**
   * An app of one account is good for that account; and the vendor's addresses need their config. A connector that is
   * there has its own.
   */
  #configFor({ kind, config: given, purpose }: ConsentRequest, { subdomain }: ConsentApp): Json {
    const connectorId = purpose.for === 'connector' ? purpose.connectorId : undefined;
    const isOfAccount = subdomain !== undefined && kind.config['subdomain'] !== undefined;
    const config = isOfAccount && connectorId === undefined ? { subdomain, ...given } : given;
    const { subdomain: asked = subdomain } = config;
    if (isOfAccount && asked !== subdomain)
      throw invalidConfig('subdomain', `must be ${subdomain}: the OAuth app is of that account`);
    const { baseUrl = kind.baseUrl } = engineUpstream(kind, this.#parts.upstreams);
    const all = missingConfig(kind, baseUrl, config);
    const [missing] = all;
    if (missing === undefined) return config;
    const expects = kind.config[missing]?.expects ?? 'given';
    const patch = connectorId === undefined ? '' : `. Send first: ${configPatch(connectorId, all)}`;
    throw invalidConfig(missing, `is required for consent: ${expects}${patch}`);
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

  /**
   * The consent of a state that a person may go on to the vendor with from our page. One in a connect session began in the
   * browser that the session is bound to, and goes on in no other.
   *
   * @throws ConsentStop
   */
  async #findOpen(state: string) {
    const row = await this.#parts.store.consents.find(hashOf(state));
    if (row === undefined) throw new ConsentStop('unknown');
    const consent = fromRow(row);
    const { purpose } = consent;
    if (purpose.for !== 'connector') throw new ConsentStop('unknown');
    if (row.isExpired) throw new ConsentStop('expired');
    return { row, consent, purpose, application: await this.#liveApplication(consent) };
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

  /** Where the person goes now: always to an address that is known from before. */
  #way({ purpose }: ConsentRequest, outcome: ConsentOutcome): string {
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

const EXPIRED: ConsentFailure = {
  code: 'session_expired',
  message: 'It took too long to consent; ask for consent again.',
};

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
