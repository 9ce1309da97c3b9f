import type { FastifyInstance } from 'fastify';
import type { ApplicationCredentials, KeepCredentials } from '../access/create-application.ts';
import type { Route } from '../http/route.ts';
import type { Clock } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';
import type { AdmissionLimits } from '../admission/limits.ts';
import type { Quotas } from '../admission/quotas.ts';
import type { ConsentSettings } from '../consent/consents.ts';
import type { OperatorApps } from '../consent/oauth-apps.ts';
import type { HttpLimits, TrustedProxies } from '../http/http-server.ts';
import type { LogOptions } from '../log.ts';
import type { AppDistributions } from '../operations/served-kinds.ts';
import type { UpstreamSettings } from '../operations/upstreams.ts';
import type { ReplicationSettings } from '../replication/settings.ts';
import type { MasterKey } from '../vault/master-key.ts';

/** What a process does: it answers calls (`api`), replicates connectors (`worker`), or both. */
export type ServiceRole = 'all' | 'api' | 'worker';

export interface ServiceOptions {
  /** Opened by the caller, who closes it after the service. */
  readonly store: Store;
  /** See `loadMasterKeys`. */
  readonly masterKey: MasterKey;
  /** The one before, as long as what it sealed is resealed. */
  readonly oldMasterKey?: MasterKey | undefined;
  /** Opens what belongs to any application; see `loadOperatorKey`. Nobody does unless given. */
  readonly operatorKey?: string | undefined;
  /** `127.0.0.1` unless said. */
  readonly host?: string;
  /** 8080 unless said; 0 takes any free one. */
  readonly port?: number;
  /** Where upstreams are, by kind, instead of their real addresses. */
  readonly upstreams?: UpstreamSettings;
  /** How the operator's app of a kind is distributed, by kind; the usual way of the kind unless said. */
  readonly distributions?: AppDistributions;
  /** Where browsers reach the service; where it listens, unless said, if that is a loopback address. */
  readonly publicUrl?: string | undefined;
  /** The apps that all applications may ask for consent with, by kind. */
  readonly oauthApps?: OperatorApps;
  /** How long consents live and how many there may be, where that is to differ from the defaults. */
  readonly consents?: Partial<ConsentSettings>;
  readonly logger?: LogOptions;
  /** Bounds on what tenants may do at once, where they are to differ from their defaults. */
  readonly limits?: Partial<AdmissionLimits>;
  /** Bounds on what tenants can have, likewise. */
  readonly quotas?: Partial<Quotas>;
  readonly clock?: Clock;
  /** How long a shutdown waits for calls under way, 5,500 ms unless said. */
  readonly shutdownGraceMs?: number;
  /**
   * How long a shutdown goes on answering calls before that, while `/readyz` says no and every answer closes its
   * connection: until whatever spreads calls over several processes has noticed. 0 unless said.
   */
  readonly drainMs?: number;
  readonly httpLimits?: Partial<HttpLimits>;
  /** None unless said: the address of a client is that of its connection. */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** `all` unless said. Of a worker only the routes that say whether it lives and can work answer. */
  readonly role?: ServiceRole;
  /** Whether credentials that end are renewed here, as they are unless said. */
  readonly renews?: boolean;
  /** Who may read the metrics, and where; unless said, nobody can, and none are kept. */
  readonly metrics?: MetricsSettings | undefined;
  /** How often what happened is added to the stats, 10,000 ms unless said. */
  readonly storeStatsEveryMs?: number;
  /** How replication works, where that is to differ from its defaults. */
  readonly replication?: Partial<ReplicationSettings>;
  /** Folder of the built connect page, absolute; without one, `/connect` says what to run. */
  readonly connectPageFolder?: string;
  /** Folder of the built console, absolute; without one, `/console` says what to run. */
  readonly consolePageFolder?: string | undefined;
  /** Folder of the built reference page, absolute; that of this package unless said. */
  readonly docsPageFolder?: string;
  /** What is done, once the service listens, before `/readyz` says that it is ready. */
  readonly prepare?: (service: Service) => Promise<void>;
}

/** Metrics have a port of their own, or are on the service's for whoever brings the token. */
export interface MetricsSettings {
  /** 0 takes any free one. */
  readonly port?: number | undefined;
  /** Asked for on either port. */
  readonly token?: string | undefined;
}

/** A scoped token to be printed, for a person to try things with. */
export interface ScopedTokenRequest {
  readonly externalUserId: string;
  readonly access?: 'read' | 'write';
  /** The application it belongs to; the oldest one unless said. */
  readonly applicationId?: string;
}

/** The application that there is after a start. */
export interface FirstApplication {
  readonly applicationId: string;
  readonly organizationId: string;
  readonly clientId: string;
  /** It was revoked, which is final: nobody gets in with its credentials. */
  readonly isRevoked?: true;
  /** Set only when it has just been made: it is stored nowhere, so show it now. */
  readonly clientSecret?: string;
}

/** A running service. */
export interface Service extends AsyncDisposable {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where the metrics are, if anywhere. */
  readonly metricsUrl: string | undefined;
  readonly app: FastifyInstance;
  /** Every route, with who may call it. */
  readonly routes: readonly Route[];
  /**
   * Makes sure that there is an application: the one with the given credentials, or any; where
   * there is none, an organization and an application are made.
   *
   * @param keep Given the credentials that are about to be made, before they are: where it fails,
   *   no application is made.
   */
  ensureFirstApplication(
    given?: {
      readonly clientId: string;
      readonly clientSecret: string;
    },
    keep?: KeepCredentials,
  ): Promise<FirstApplication>;
  /** Makes another application; its secret is told once. */
  createApplication(name: string): Promise<ApplicationCredentials>;
  /** Revokes an application: its tokens end within 5 s, in every process. */
  revokeApplication(applicationId: string): Promise<void>;
  /** Makes a scoped token, good for 1,200 s. */
  mintScopedToken(request: ScopedTokenRequest): Promise<string>;
  /**
   * Makes a link that signs whoever opens it on this machine in to the console as the operator: once, within
   * 30 minutes. None where there is no console, no operator's key, or no way to it over this machine alone.
   */
  makeConsoleLink(): string | undefined;
  /**
   * Drains, where that is asked for, then takes no more calls, lets those under way finish for a while, ends the
   * rest: within 8 s after the drain, whatever hangs.
   */
  close(): Promise<void>;
}
