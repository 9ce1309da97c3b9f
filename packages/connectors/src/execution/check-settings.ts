import { checkMembers } from '../check-members.ts';
import { isJsonObject, quote } from '../json-value.ts';
import { ConnectorError, faultsText, type Fault } from '../errors.ts';
import { placeholdersOf, type ConnectorKind, type Settings } from '../vocabulary/index.ts';
import { isHttpUrl, NOT_HTTP_URL } from './check-options.ts';

/**
 * Checks the config of a connector; missing variables are no fault here, since calls that need one
 * say so themselves (`config_required`).
 *
 * @param path Where it stands, for the faults.
 * @throws `invalid_config` with every fault, each at `config.<name>`.
 * @see docs/wire.md#create-a-connector
 */
export function checkConfig(
  kind: ConnectorKind,
  given: unknown,
  path = 'config',
): Readonly<Record<string, unknown>> {
  const optional = Object.fromEntries(
    Object.entries(kind.config).map(([name, setting]) => [name, { ...setting, isRequired: false }]),
  );
  const { values, faults } = checkObject(optional, given ?? {}, path);
  if (faults.length > 0)
    throw new ConnectorError('invalid_config', { faults }, { message: told('config', faults) });
  return values;
}

/**
 * Checks the replication config of a connector and fills in the defaults; `null` where the kind
 * takes none.
 *
 * @throws `invalid_replication_config` with every fault, each at `replication_config.<name>`.
 * @see docs/wire.md#create-a-connector
 */
export function checkReplicationConfig(
  kind: ConnectorKind,
  given: unknown,
): Readonly<Record<string, unknown>> | null {
  const isGiven = given !== undefined && given !== null;
  if (!isGiven && !kind.requiresReplicationConfig) return null;
  const { values, faults } = isGiven
    ? checkObject(kind.replicationConfig, given, 'replication_config')
    : { values: {}, faults: missingWhole(kind.replicationConfig) };
  if (faults.length > 0)
    throw new ConnectorError(
      'invalid_replication_config',
      { faults },
      { message: told('replication_config', faults) },
    );
  const defaults = Object.entries(kind.replicationConfig).flatMap(([name, setting]) =>
    setting.default === undefined ? [] : [[name, setting.default] as const],
  );
  return { ...Object.fromEntries(defaults), ...values };
}

const DAY_MS = 86_400_000;

/**
 * The replication config of a connector that a person makes without being asked for one: what was given,
 * and for the rest what is usual for the kind.
 *
 * @throws as `checkReplicationConfig`.
 */
export function completeReplicationConfig(
  kind: ConnectorKind,
  given: unknown,
  nowMs: number,
): Readonly<Record<string, unknown>> | null {
  const isAbsent = given === undefined || given === null;
  if (kind.usualReplicationConfig === undefined || !(isAbsent || isJsonObject(given)))
    return checkReplicationConfig(kind, given);
  const usual = Object.entries(kind.usualReplicationConfig).map(
    ([name, value]) =>
      [
        name,
        typeof value === 'object' ? instantOf(nowMs - value.daysAgo * DAY_MS) : value,
      ] as const,
  );
  return checkReplicationConfig(kind, { ...Object.fromEntries(usual), ...given });
}

function instantOf(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Config variables that the base URL needs and that are missing or mere placeholders. */
export function missingConfig(
  kind: ConnectorKind,
  baseUrl: string,
  config: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(kind.config)
    .filter(([name]) => baseUrl.includes(`{${name}}`))
    .filter(([name, setting]) => {
      const value = config[name] ?? setting.default;
      return value === undefined || value === setting.placeholder;
    })
    .map(([name]) => name);
}

/** What is wrong with an address for a kind, in the place of the vendor's; not the value, which may hold credentials. */
export function baseUrlFault(kind: ConnectorKind, baseUrl: string): string | undefined {
  if (!isHttpUrl(baseUrl)) return NOT_HTTP_URL;
  const unknown = placeholdersOf(baseUrl).find((name) => !Object.hasOwn(kind.config, name));
  if (unknown === undefined) return undefined;
  const variables = Object.keys(kind.config).map((name) => `{${name}}`);
  const hint = variables.length === 0 ? 'it has none' : `it has ${variables.join(', ')}`;
  return `has {${unknown}} in it, which is no config variable of ${kind.kind}; ${hint}`;
}

/** The base URL with the config variables in their places; they must not be missing. */
export function fillBaseUrl(
  kind: ConnectorKind,
  baseUrl: string,
  config: Readonly<Record<string, unknown>>,
): string {
  return baseUrl.replace(/\{([a-z0-9_]+)\}/g, (_, name: string) => {
    const setting = kind.config[name];
    const value = String(config[name] ?? setting?.default);
    return setting?.stands?.[value] ?? value;
  });
}

function checkObject(
  settings: Settings,
  given: unknown,
  path: string,
): { values: Readonly<Record<string, unknown>>; faults: readonly Fault[] } {
  if (!isJsonObject(given)) {
    const message = `must be an object, got ${quote(given)}`;
    return { values: {}, faults: [{ field: path, errorCode: 'wrong_type', message }] };
  }
  const { values, faults } = checkMembers(settings, given, path);
  const unreal = Object.entries(values).flatMap(([name, value]): Fault[] => {
    const setting = settings[name];
    if (setting === undefined || !isInstantSetting(setting) || isRealInstant(value)) return [];
    const message = `must be ${setting.expects}, got ${quote(value)}`;
    return [
      { field: `${path}.${name}`, errorCode: 'not_allowed', message, allowed: setting.expects },
    ];
  });
  return { values, faults: [...faults, ...unreal] };
}

/** Whether a setting takes instants. */
export function isInstantSetting({ schema }: { readonly schema: object }): boolean {
  return 'format' in schema && schema.format === 'date-time';
}

/** 30 February matches the pattern, but is no day. */
function isRealInstant(value: unknown): boolean {
  const milliseconds = Date.parse(String(value));
  return (
    !Number.isNaN(milliseconds) &&
    new Date(milliseconds).toISOString() === String(value).replace('Z', '.000Z')
  );
}

function missingWhole(settings: Settings): readonly Fault[] {
  const required = Object.entries(settings).filter(([, { isRequired }]) => isRequired);
  const names = required.map(([name]) => name).join(', ');
  const message = `is required, with ${names}`;
  return [{ field: 'replication_config', errorCode: 'missing', message }];
}

function told(what: string, faults: readonly Fault[]): string {
  return `The ${what} is wrong: ${faultsText(faults)}`;
}
