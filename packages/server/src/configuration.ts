import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { isConnectorError, type ConnectorKind, type UpstreamLimits } from '@patchbay/connectors';
import {
  allKinds,
  checkConfig,
  distributionNamesOf,
  nearestName,
} from '@patchbay/connectors/engine';
import { MIN_SECRET_CHARACTERS } from './access/applications.ts';
import { MAX_CLIENT_ID, MAX_CLIENT_SECRET } from './access/client-secret.ts';
import { operatorKeyPath, type OperatorKeySource } from './access/load-operator-key.ts';
import { OPERATOR_KEY_EXPECTS, parseOperatorKey } from './access/operator-key.ts';
import { LIMIT_VARIABLES, type LimitSetting } from './admission/limits.ts';
import { QUOTA_VARIABLES, type QuotaSetting } from './admission/quotas.ts';
import { parseOrigin } from './access/allowed-urls.ts';
import { countCodePoints } from './code-points.ts';
import { scopesOf } from './consent/consent-input.ts';
import { appVariable, type ConsentApp, type OperatorApps } from './consent/oauth-apps.ts';
import type { TrustedProxies } from './http/http-server.ts';
import {
  METRICS_TOKEN_EXPECTS,
  parseMetricsToken,
  type MetricsTokenSource,
} from './metrics/metrics-token.ts';
import type { ReplicationSettings } from './replication/settings.ts';
import type { ServiceRole } from './service.ts';
import { distributionVariable } from './operations/served-kinds.ts';
import { upstreamUrlVariable, type UpstreamSetting } from './operations/upstreams.ts';
import { ServiceError } from './service-error.ts';
import type { MasterKeySource } from './vault/load-master-keys.ts';
import { MASTER_KEY_EXPECTS, parseMasterKey } from './vault/master-key.ts';

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
  /** Whether credentials that end are renewed here. */
  readonly renews: boolean;
  /** The settings of replication that were given. */
  readonly replication: Partial<Pick<ReplicationSettings, 'intervalMs' | 'concurrency'>>;
  /** Credentials that the first application is to have. */
  readonly client: { readonly clientId: string; readonly clientSecret: string } | undefined;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;
type Report = (variable: string, problem: string) => void;

const SERVICE_ROLES = ['all', 'api', 'worker'] as const satisfies readonly ServiceRole[];
/** Syncs come every minute at most, and every week at least. */
const SYNC_MINUTES = { minimum: 1, maximum: 10_080 };
const SYNC_CONCURRENCY = { minimum: 1, maximum: 100 };

const COUNT = { minimum: 1, maximum: 10_000_000 };
const MOST_MIB = 65_536;
const CONNECTIONS = { minimum: 1, maximum: 100 };

/** Of each lane of the store that operators can change; as many searches as there are at once have one. */
const CONNECTION_VARIABLES = {
  calls: 'PATCHBAY_CONNECTIONS_CALLS',
  replication: 'PATCHBAY_CONNECTIONS_REPLICATION',
} as const;

const URL_PREFIX = 'PATCHBAY_UPSTREAM_URL_';
const LABEL_PREFIX = 'PATCHBAY_UPSTREAM_LABEL_';
const LIMITS_PREFIX = 'PATCHBAY_UPSTREAM_LIMITS_';
const FILES_PREFIX = 'PATCHBAY_UPSTREAM_FILE_ORIGINS_';
const UPSTREAM_PREFIXES = [URL_PREFIX, LABEL_PREFIX, LIMITS_PREFIX, FILES_PREFIX];
const DISTRIBUTION_VARIABLE = /^PATCHBAY_OAUTH_.*_DISTRIBUTION$/;
const DEFAULT_LABEL = 'custom';

const APP_MEMBERS = ['CLIENT_ID', 'CLIENT_SECRET', 'SCOPES', 'SUBDOMAIN'] as const;
const APP_VARIABLE = new RegExp(`^PATCHBAY_OAUTH_.*_(?:${APP_MEMBERS.join('|')})$`);

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

interface IntegerRange {
  readonly minimum: number;
  readonly maximum: number;
  readonly report: Report;
}

/** Those of the settings that were given; each has a variable. */
function readIntegers<Setting extends string>(
  env: Environment,
  variables: Readonly<Record<Setting, string>>,
  how: IntegerRange,
): Partial<Record<Setting, number>> {
  const given: Partial<Record<Setting, number>> = {};
  for (const setting of Object.keys(variables) as Setting[]) {
    const value = readInteger(env, variables[setting], how);
    if (value !== undefined) given[setting] = value;
  }
  return given;
}

function readInteger(env: Environment, name: string, how: IntegerRange): number | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const { minimum, maximum, report } = how;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= minimum && value <= maximum) return value;
  report(name, `must be an integer from ${minimum} to ${maximum}, got ${JSON.stringify(text)}`);
  return undefined;
}

function readMasterKey(env: Environment, dataFolder: string, report: Report): MasterKeySource {
  const text = env['PATCHBAY_MASTER_KEY'];
  const file = env['PATCHBAY_MASTER_KEY_FILE'];
  // Next to the data folder: the pair moves together, yet a copy of the folder opens nothing.
  const path = resolve(file ?? `${dataFolder}.key`);
  if (file !== undefined && isInside(path, dataFolder))
    report('PATCHBAY_MASTER_KEY_FILE', `must lie outside the data folder ${dataFolder}`);
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_MASTER_KEY', 'and PATCHBAY_MASTER_KEY_FILE exclude each other');
  if (text !== undefined) {
    const key = parseMasterKey(text);
    if (key !== undefined) return { from: 'environment', key };
    report('PATCHBAY_MASTER_KEY', `must be ${MASTER_KEY_EXPECTS}`);
  } else if (env['DATABASE_URL'] !== undefined && file === undefined) {
    report(
      'PATCHBAY_MASTER_KEY',
      `is required with DATABASE_URL, the same for every process: ${MASTER_KEY_EXPECTS}`,
    );
  }
  const mayCreate = env['DATABASE_URL'] === undefined;
  return { from: 'file', path, mayCreate, isOthers: file !== undefined };
}

function readOldMasterKey(env: Environment, report: Report): MasterKeySource | undefined {
  const text = env['PATCHBAY_OLD_MASTER_KEY'];
  const file = env['PATCHBAY_OLD_MASTER_KEY_FILE'];
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_OLD_MASTER_KEY', 'and PATCHBAY_OLD_MASTER_KEY_FILE exclude each other');
  if (text === undefined)
    return file === undefined
      ? undefined
      : { from: 'file', path: resolve(file), mayCreate: false, isOthers: true };
  const key = parseMasterKey(text);
  if (key !== undefined) return { from: 'environment', key };
  report('PATCHBAY_OLD_MASTER_KEY', `must be ${MASTER_KEY_EXPECTS}`);
  return undefined;
}

function readOperatorKey(
  env: Environment,
  dataFolder: string,
  report: Report,
): OperatorKeySource | undefined {
  const text = env['PATCHBAY_OPERATOR_KEY'];
  const file = env['PATCHBAY_OPERATOR_KEY_FILE'];
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_OPERATOR_KEY', 'and PATCHBAY_OPERATOR_KEY_FILE exclude each other');
  if (text !== undefined) {
    const key = parseOperatorKey(text);
    if (key !== undefined) return { from: 'environment', key };
    report('PATCHBAY_OPERATOR_KEY', `must be ${OPERATOR_KEY_EXPECTS}`);
  }
  // A key of several processes is nobody's to make.
  if (file === undefined && env['DATABASE_URL'] !== undefined) return undefined;
  const path = resolve(file ?? operatorKeyPath(dataFolder));
  if (file !== undefined && isInside(path, dataFolder))
    report('PATCHBAY_OPERATOR_KEY_FILE', `must lie outside the data folder ${dataFolder}`);
  return { from: 'file', path, mayCreate: file === undefined, isOthers: file !== undefined };
}

function readMetricsToken(env: Environment, report: Report): MetricsTokenSource | undefined {
  const text = env['PATCHBAY_METRICS_TOKEN'];
  const file = env['PATCHBAY_METRICS_TOKEN_FILE'];
  if (text !== undefined && file !== undefined)
    report('PATCHBAY_METRICS_TOKEN', 'and PATCHBAY_METRICS_TOKEN_FILE exclude each other');
  if (text === undefined)
    return file === undefined ? undefined : { from: 'file', path: resolve(file) };
  const token = parseMetricsToken(text);
  if (token !== undefined) return { from: 'environment', token };
  report('PATCHBAY_METRICS_TOKEN', `must be ${METRICS_TOKEN_EXPECTS}`);
  return undefined;
}

function isInside(path: string, folder: string): boolean {
  return isAbsolute(path) && (path === folder || path.startsWith(`${folder}/`));
}

function readUpstreams(env: Environment, report: Report): Record<string, UpstreamSetting> {
  const suffixes = new Map(
    allKinds().map(({ kind }) => [upstreamUrlVariable(kind).slice(URL_PREFIX.length), kind]),
  );
  reportUnknownKinds(env, suffixes, report);
  return Object.fromEntries(
    [...suffixes].flatMap(([suffix, kind]) => {
      const baseUrl = env[URL_PREFIX + suffix];
      const limits = readUpstreamLimits(env, LIMITS_PREFIX + suffix, report);
      const label = env[LABEL_PREFIX + suffix];
      const fileOrigins = readOrigins(env, FILES_PREFIX + suffix, report);
      if (baseUrl === undefined) {
        for (const prefix of [LABEL_PREFIX, LIMITS_PREFIX, FILES_PREFIX])
          if (env[prefix + suffix] !== undefined)
            report(prefix + suffix, `says nothing without ${URL_PREFIX}${suffix}`);
        return [];
      }
      if (!isHttpUrl(baseUrl)) report(URL_PREFIX + suffix, 'must be an http or https URL');
      const setting = {
        baseUrl,
        label: label ?? DEFAULT_LABEL,
        ...(limits === undefined ? {} : { limits }),
        ...(fileOrigins === undefined ? {} : { fileOrigins }),
      };
      return [[kind, setting] as const];
    }),
  );
}

function reportUnknownKinds(
  env: Environment,
  suffixes: ReadonlyMap<string, string>,
  report: Report,
): void {
  for (const name of Object.keys(env)) {
    const prefix = UPSTREAM_PREFIXES.find((each) => name.startsWith(each));
    if (prefix === undefined || suffixes.has(name.slice(prefix.length))) continue;
    const nearest = nearestName(name.slice(prefix.length), suffixes.keys());
    const hint = nearest === undefined ? [...suffixes.keys()].join(', ') : prefix + nearest;
    report(name, `names no connector kind; there is ${hint}`);
  }
}

function readDistributions(env: Environment, report: Report): Configuration['distributions'] {
  const known = new Map(
    allKinds().flatMap((kind) => {
      const names = distributionNamesOf(kind);
      return names.length === 0 ? [] : [[distributionVariable(kind.kind), { kind, names }]];
    }),
  );
  const given = Object.entries(env).filter(([name]) => DISTRIBUTION_VARIABLE.test(name));
  return Object.fromEntries(
    given.flatMap(([variable, value = '']) => {
      const { kind, names } = known.get(variable) ?? {};
      if (kind === undefined || names === undefined)
        report(variable, `is no setting; there is ${[...known.keys()].join(', ')}`);
      else if (names.includes(value)) return [[kind.kind, value] as const];
      else report(variable, `must be one of ${names.join(', ')}, got ${JSON.stringify(value)}`);
      return [];
    }),
  );
}

/** A person's browser sends a code there: over https, or to the machine itself. */
function readPublicUrl(env: Environment, report: Report): string | undefined {
  const text = env['PATCHBAY_PUBLIC_URL']?.replace(/\/$/, '');
  if (text === undefined) return undefined;
  const origin = parseOrigin(text);
  if (origin === undefined)
    report(
      'PATCHBAY_PUBLIC_URL',
      'must be where browsers reach the service, such as https://patchbay.example.com: https (or http on a loopback address), without path',
    );
  return origin;
}

function readOAuthApps(env: Environment, report: Report): Record<string, ConsentApp> {
  const known = allKinds().flatMap(({ kind }) =>
    APP_MEMBERS.map((member) => appVariable(kind, member)),
  );
  for (const name of Object.keys(env).filter((each) => APP_VARIABLE.test(each)))
    if (!known.includes(name)) {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? known.join(', ') : nearest;
      report(name, `names no connector kind; there is ${hint}`);
    }
  return Object.fromEntries(
    allKinds().flatMap((kind) => {
      const app = readOAuthApp(env, kind, report);
      return app === undefined ? [] : [[kind.kind, app] as const];
    }),
  );
}

function readOAuthApp(
  env: Environment,
  kind: ConnectorKind,
  report: Report,
): ConsentApp | undefined {
  const variables = {
    clientId: appVariable(kind.kind, 'CLIENT_ID'),
    clientSecret: appVariable(kind.kind, 'CLIENT_SECRET'),
    scopes: appVariable(kind.kind, 'SCOPES'),
    subdomain: appVariable(kind.kind, 'SUBDOMAIN'),
  };
  const { clientId = '', clientSecret = '', scopes, subdomain } = valuesOf(env, variables);
  if ([clientId, clientSecret, scopes ?? '', subdomain ?? ''].join('') === '') return undefined;
  if (clientId === '') report(variables.clientId, 'is required for an OAuth app');
  if (clientSecret === '') report(variables.clientSecret, `is required with ${variables.clientId}`);
  const asked = scopesOf(scopes);
  if (asked === 'wrong') report(variables.scopes, 'must be scopes, separated by commas or spaces');
  if (subdomain !== undefined)
    checkSubdomain(kind, subdomain, (problem) => report(variables.subdomain, problem));
  return {
    clientId,
    clientSecret,
    ...(asked === undefined || asked === 'wrong' ? {} : { scopes: asked }),
    ...(subdomain === undefined ? {} : { subdomain }),
  };
}

/** What variables say, by what they are for. */
function valuesOf<Name extends string>(
  env: Environment,
  variables: Readonly<Record<Name, string>>,
): Partial<Record<Name, string>> {
  const values: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(variables) as Name[]) {
    const value = env[variables[name]];
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function checkSubdomain(
  kind: ConnectorKind,
  subdomain: string,
  report: (problem: string) => void,
): void {
  try {
    checkConfig(kind, { subdomain });
  } catch (error) {
    if (!isConnectorError(error, 'invalid_config')) throw error;
    report(`is wrong: ${error.message}`);
  }
}

function readUpstreamLimits(
  env: Environment,
  name: string,
  report: Report,
): UpstreamLimits | undefined {
  const text = env[name];
  if (text === undefined || text === 'vendor' || text === 'reactive') return text;
  const factor = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (factor > 0) return factor;
  report(name, `must be vendor, reactive or a factor above 0, got ${JSON.stringify(text)}`);
  return undefined;
}

/** The origins that a variable lists, separated by commas. */
function readOrigins(
  env: Environment,
  name: string,
  report: Report,
): readonly string[] | undefined {
  const origins = env[name]?.split(',').map((origin) => origin.trim());
  if (origins?.some((origin) => URL.parse(origin)?.origin !== origin) === true)
    report(name, 'must be origins such as https://files.example.com, comma-separated');
  return origins;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text.replaceAll(/[{}]/g, ''));
  return (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.search === ''
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

function readTrustedProxies(env: Environment, report: Report): TrustedProxies | undefined {
  const text = env['PATCHBAY_TRUSTED_PROXIES'];
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (networks.every(isNetwork)) return networks;
  report(
    'PATCHBAY_TRUSTED_PROXIES',
    'must be how many proxies there are (1 to 9), or their addresses and networks such as 10.0.0.0/8, comma-separated',
  );
  return undefined;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (most === 0 || more.length > 0) return false;
  // A network of all addresses would let anybody say what theirs is.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
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
