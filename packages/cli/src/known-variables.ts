import { allKinds } from '@patchbay/connectors/definitions';

/**
 * Every environment variable that the service and its commands read, by its whole name. Those of a
 * connector kind are in `KIND_VARIABLES`.
 *
 * @see docs/configuration.md
 * @see docs/cli.md#settings
 */
export const VARIABLES = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'PATCHBAY_BASE_URL',
  'PATCHBAY_CALLS_AT_ONCE',
  'PATCHBAY_CALLS_AT_ONCE_PER_APPLICATION',
  'PATCHBAY_CALLS_AT_ONCE_PER_USER',
  'PATCHBAY_CLIENT_ID',
  'PATCHBAY_CLIENT_SECRET',
  'PATCHBAY_CONNECTIONS_CALLS',
  'PATCHBAY_CONNECTIONS_REPLICATION',
  'PATCHBAY_DATA',
  'PATCHBAY_DEBUG',
  'PATCHBAY_DOWNLOADS_PER_CALLER',
  'PATCHBAY_DOWNLOADS_PER_CONNECTOR',
  'PATCHBAY_DRAIN_SECONDS',
  'PATCHBAY_EXTERNAL_USER_ID',
  'PATCHBAY_LOG_LEVEL',
  'PATCHBAY_MASTER_KEY',
  'PATCHBAY_MASTER_KEY_FILE',
  'PATCHBAY_MAX_CONNECTORS_PER_APPLICATION',
  'PATCHBAY_MAX_CONNECTORS_PER_USER',
  'PATCHBAY_MAX_WATCHERS_PER_TOKEN',
  'PATCHBAY_METRICS_PORT',
  'PATCHBAY_METRICS_TOKEN',
  'PATCHBAY_METRICS_TOKEN_FILE',
  'PATCHBAY_OLD_MASTER_KEY',
  'PATCHBAY_OLD_MASTER_KEY_FILE',
  'PATCHBAY_OPERATOR_KEY',
  'PATCHBAY_OPERATOR_KEY_FILE',
  'PATCHBAY_PAGES_MIB',
  'PATCHBAY_PAGES_MIB_PER_CALLER',
  'PATCHBAY_PROFILE',
  'PATCHBAY_PUBLIC_URL',
  'PATCHBAY_RATE_LIMIT',
  'PATCHBAY_RENEWAL',
  'PATCHBAY_ROLE',
  'PATCHBAY_SANDBOX',
  'PATCHBAY_SEARCHES_AT_ONCE',
  'PATCHBAY_SEARCHES_AT_ONCE_PER_APPLICATION',
  'PATCHBAY_SEARCHES_AT_ONCE_PER_USER',
  'PATCHBAY_SYNC_CONCURRENCY',
  'PATCHBAY_SYNC_INTERVAL_MINUTES',
  'PATCHBAY_TRUSTED_PROXIES',
  'PATCHBAY_UNREAD_MIB',
  'PATCHBAY_UNREAD_MIB_PER_CALLER',
] as const;

/** Variables that there are one of for each connector kind: what stands before its name, and after. */
export const KIND_VARIABLES = [
  { before: 'PATCHBAY_UPSTREAM_URL_', after: '' },
  { before: 'PATCHBAY_UPSTREAM_LABEL_', after: '' },
  { before: 'PATCHBAY_UPSTREAM_LIMITS_', after: '' },
  { before: 'PATCHBAY_UPSTREAM_FILE_ORIGINS_', after: '' },
  { before: 'PATCHBAY_OAUTH_', after: '_CLIENT_ID' },
  { before: 'PATCHBAY_OAUTH_', after: '_CLIENT_SECRET' },
  { before: 'PATCHBAY_OAUTH_', after: '_SCOPES' },
  { before: 'PATCHBAY_OAUTH_', after: '_SUBDOMAIN' },
  { before: 'PATCHBAY_OAUTH_', after: '_DISTRIBUTION' },
] as const;

/** All of them, with those of each kind. */
export function knownVariables(): readonly string[] {
  const names = allKinds().map(({ kind }) => kind.toUpperCase().replaceAll('-', '_'));
  return [
    ...VARIABLES,
    ...KIND_VARIABLES.flatMap(({ before, after }) => names.map((name) => before + name + after)),
  ];
}
