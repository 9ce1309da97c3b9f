import { resolve } from 'node:path';
import { MIN_SECRET_CHARACTERS } from '../access/applications.ts';
import { MAX_CLIENT_ID, MAX_CLIENT_SECRET } from '../access/client-secret.ts';
import type { OperatorKeySource } from '../access/load-operator-key.ts';
import { LIMIT_VARIABLES, type LimitSetting } from '../admission/limits.ts';
import { QUOTA_VARIABLES, type QuotaSetting } from '../admission/quotas.ts';
import { countCodePoints } from '../code-points.ts';
import type { OperatorApps } from '../consent/oauth-apps.ts';
import type { TrustedProxies } from '../http/http-server.ts';
import type { MetricsTokenSource } from '../metrics/metrics-token.ts';
import type { UpstreamSetting } from '../operations/upstreams.ts';
import type { ReplicationSettings } from '../replication/settings.ts';
import { ServiceError } from '../service-error.ts';
import type { ServiceRole } from '../service/contract.ts';
import type { MasterKeySource } from '../vault/load-master-keys.ts';
import { readInteger, readIntegers, type Environment, type Report } from './environment.ts';
import {
  readMasterKey,
  readMetricsToken,
  readOldMasterKey,
  readOperatorKey,
} from './key-sources.ts';
import { readPublicUrl, readTrustedProxies } from './network.ts';
import { readDistributions, readOAuthApps } from './oauth-apps.ts';
import { readUpstreams } from './upstreams.ts';

/** The settings of the service, checked. */
export interface Configuration {
  readonly host: string;
  readonly port: number;
  /** A server's database; otherwise the embedded one in `dataFolder` is used. */
  readonly databaseUrl: string | undefined;
  /** How many connections to a server's database were given, by what they are for. */
  readonly connections: Partial<Record<keyof typeof CONNECTION_VARIABLES, number>>;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly masterKey: MasterKeySource;
  /** The one before, as long as it is rotated. */
  readonly oldMasterKey: MasterKeySource | undefined;
  /** Absent where nobody is to be the operator over HTTP. */
  readonly operatorKey: OperatorKeySource | undefined;
  readonly upstreams: Readonly<Record<string, UpstreamSetting>>;
  /** How the operator's apps are distributed, by kind, where that was given. */
  readonly distributions: Readonly<Record<string, string>>;
  /** The operator's OAuth apps, by kind. */
  readonly oauthApps: OperatorApps;
  /** Where browsers reach the service: an origin. */
  readonly publicUrl: string | undefined;
  /** The quotas that were given. */
  readonly quotas: Partial<Record<QuotaSetting, number>>;
  /** The bounds on what there is at once that were given. */
  readonly limits: Partial<Record<LimitSetting, number>>;
  /** How many proxies stand before the service, or their addresses and networks. */
  readonly trustedProxies: TrustedProxies | undefined;
  /** Who may read the metrics, and where; nobody, where neither is given. */
  readonly metrics: {
    readonly port: number | undefined;
    readonly token: MetricsTokenSource | undefined;
  };
  readonly logLevel: LogLevel;
  readonly role: ServiceRole;
  /** How long a stop goes on answering calls. */
  readonly drainMs: number;
  /** Whether credentials that end are renewed here. */
  readonly renews: boolean;
  /** The settings of replication that were given. */
  readonly replication: Partial<Pick<ReplicationSettings, 'intervalMs' | 'concurrency'>>;
  /** Credentials that the first application is to have. */
  readonly client: { readonly clientId: string; readonly clientSecret: string } | undefined;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SERVICE_ROLES = ['all', 'api', 'worker'] as const satisfies readonly ServiceRole[];
/** Syncs come every minute at most, and every week at least. */
const SYNC_MINUTES = { minimum: 1, maximum: 10_080 };
const SYNC_CONCURRENCY = { minimum: 1, maximum: 100 };

const DRAIN_SECONDS = { minimum: 0, maximum: 600 };

const COUNT = { minimum: 1, maximum: 10_000_000 };
const MOST_MIB = 65_536;
const CONNECTIONS = { minimum: 1, maximum: 100 };

/** Of each lane of the store that operators can change; as many searches as there are at once have one. */
const CONNECTION_VARIABLES = {
  calls: 'PATCHBAY_CONNECTIONS_CALLS',
  replication: 'PATCHBAY_CONNECTIONS_REPLICATION',
} as const;

/**
 * Reads the configuration from environment variables; an empty one counts as not set.
 *
 * @throws ServiceError `configuration_invalid`, one line for each fault; secrets are not quoted.
 */
export function readConfiguration(environment: Environment): Configuration {
  const faults: string[] = [];
  const report: Report = (variable, problem) => faults.push(`${variable} ${problem}`);
  const env = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const dataFolder = resolve(env['PATCHBAY_DATA'] ?? 'data');
  const configuration: Configuration = {
    host: env['HOST'] ?? '127.0.0.1',
    port: readInteger(env, 'PORT', { minimum: 0, maximum: 65_535, report }) ?? 8080,
    databaseUrl: env['DATABASE_URL'],
    connections: readIntegers(env, CONNECTION_VARIABLES, { ...CONNECTIONS, report }),
    dataFolder,
    masterKey: readMasterKey(env, dataFolder, report),
    oldMasterKey: readOldMasterKey(env, report),
    operatorKey: readOperatorKey(env, dataFolder, report),
    upstreams: readUpstreams(env, report),
    distributions: readDistributions(env, report),
    oauthApps: readOAuthApps(env, report),
    publicUrl: readPublicUrl(env, report),
    quotas: readIntegers(env, QUOTA_VARIABLES, { ...COUNT, report }),
    limits: readLimits(env, report),
    trustedProxies: readTrustedProxies(env, report),
    metrics: {
      port: readInteger(env, 'PATCHBAY_METRICS_PORT', { minimum: 0, maximum: 65_535, report }),
      token: readMetricsToken(env, report),
    },
    logLevel: readLogLevel(env, report),
    role: readRole(env, report),
    drainMs:
      (readInteger(env, 'PATCHBAY_DRAIN_SECONDS', { ...DRAIN_SECONDS, report }) ?? 0) * 1_000,
    renews: readRenewal(env, report),
    replication: readReplication(env, report),
    client: readClient(env, report),
  };
  if (faults.length === 0) return configuration;
  throw new ServiceError(
    'configuration_invalid',
    `The configuration is wrong:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
  );
}

function readLimits(env: Environment, report: Report): Configuration['limits'] {
  return Object.fromEntries(
    Object.entries(LIMIT_VARIABLES).flatMap(([limit, { variable, unit }]) => {
      const maximum = unit === 1 ? COUNT.maximum : MOST_MIB;
      const value = readInteger(env, variable, { minimum: 1, maximum, report });
      return value === undefined ? [] : [[limit, value * unit]];
    }),
  );
}

function readLogLevel(env: Environment, report: Report): LogLevel {
  const text = env['PATCHBAY_LOG_LEVEL'] ?? 'info';
  const level = LOG_LEVELS.find((each) => each === text);
  if (level !== undefined) return level;
  report('PATCHBAY_LOG_LEVEL', `must be one of ${LOG_LEVELS.join(', ')}`);
  return 'info';
}

function readRole(env: Environment, report: Report): ServiceRole {
  const text = env['PATCHBAY_ROLE'] ?? 'all';
  const role = SERVICE_ROLES.find((each) => each === text);
  if (role === undefined) report('PATCHBAY_ROLE', `must be one of ${SERVICE_ROLES.join(', ')}`);
  else if (role !== 'all' && env['DATABASE_URL'] === undefined)
    report('PATCHBAY_ROLE', `${role} needs DATABASE_URL: an embedded database is for one process`);
  return role ?? 'all';
}

function readRenewal(env: Environment, report: Report): boolean {
  const text = env['PATCHBAY_RENEWAL'] ?? 'on';
  if (text !== 'on' && text !== 'off') report('PATCHBAY_RENEWAL', 'must be on or off');
  return text !== 'off';
}

function readReplication(env: Environment, report: Report): Configuration['replication'] {
  const minutes = readInteger(env, 'PATCHBAY_SYNC_INTERVAL_MINUTES', { ...SYNC_MINUTES, report });
  const concurrency = readInteger(env, 'PATCHBAY_SYNC_CONCURRENCY', {
    ...SYNC_CONCURRENCY,
    report,
  });
  return {
    ...(minutes === undefined ? {} : { intervalMs: minutes * 60_000 }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}

function readClient(env: Environment, report: Report): Configuration['client'] {
  const clientId = env['PATCHBAY_CLIENT_ID'];
  const clientSecret = env['PATCHBAY_CLIENT_SECRET'];
  if (clientId === undefined && clientSecret === undefined) return undefined;
  if (clientId === undefined)
    report('PATCHBAY_CLIENT_ID', 'is required with PATCHBAY_CLIENT_SECRET');
  else if (clientId.length > MAX_CLIENT_ID)
    report('PATCHBAY_CLIENT_ID', `may have at most ${MAX_CLIENT_ID} characters`);
  if (clientSecret === undefined)
    report('PATCHBAY_CLIENT_SECRET', 'is required with PATCHBAY_CLIENT_ID');
  else if (countCodePoints(clientSecret) < MIN_SECRET_CHARACTERS)
    report('PATCHBAY_CLIENT_SECRET', `must have at least ${MIN_SECRET_CHARACTERS} characters`);
  else if (clientSecret.length > MAX_CLIENT_SECRET)
    report('PATCHBAY_CLIENT_SECRET', `may have at most ${MAX_CLIENT_SECRET} characters`);
  return { clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
}
