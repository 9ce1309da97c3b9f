import { CommandError } from '../terminal.ts';
import { findKind, type ConnectorKind, type KindName } from '@patchbay/connectors/definitions';

/** What a connector of the library is made from. */
interface LibraryOptions {
  readonly kind: KindName;
  readonly options: {
    // Which fields belong together, the library checks.
    readonly credentials: never;
    readonly config?: never;
    readonly baseUrl?: string;
    readonly upstreamLimits?: 'vendor' | 'reactive' | number;
    readonly fileOrigins?: readonly string[];
    readonly distribution?: never;
  };
}

/**
 * Credentials and config of a kind from the environment, `undefined` where it has no credentials:
 * `<ALIAS>_<FIELD>`, for example `ZENDESK_SUPPORT_API_TOKEN`; where a method has one field only,
 * `<ALIAS>_TOKEN` too.
 *
 * @throws `unknown_connector_type`
 */
export async function libraryOptions(
  kindName: string,
  environment: NodeJS.ProcessEnv,
): Promise<LibraryOptions | undefined> {
  const kind = findKind(kindName);
  const credentials = credentialsIn(kind, environment);
  if (Object.keys(credentials).length === 0) return undefined;
  const config = configIn(kind, environment);
  return {
    // `findKind` finds nothing else.
    kind: kind.kind as KindName,
    options: {
      credentials: credentials as never,
      ...(Object.keys(config).length === 0 ? {} : { config: config as never }),
      ...(await upstreamOptions(kind, environment)),
    },
  };
}

/** The variables that credentials and config of a kind may come from. */
export function credentialVariables(kind: ConnectorKind): readonly string[] {
  const short = shortField(kind) === undefined ? [] : [`${prefixOf(kind)}_TOKEN`];
  const fields = fieldNames(kind).map((name) => variableOf(kind, name));
  const config = Object.keys(kind.config).map((name) => variableOf(kind, name));
  return [...new Set([...short, ...fields, ...config])];
}

function credentialsIn(
  kind: ConnectorKind,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const credentials = valuesIn(kind, fieldNames(kind), environment);
  const short = shortField(kind);
  const token = environment[`${prefixOf(kind)}_TOKEN`];
  if (short === undefined || token === undefined || token === '') return credentials;
  if (credentials[short] !== undefined && credentials[short] !== token)
    throw new CommandError(
      `${prefixOf(kind)}_TOKEN and ${variableOf(kind, short)} say different things; give one.`,
    );
  return { ...credentials, [short]: token };
}

function configIn(
  kind: ConnectorKind,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return valuesIn(kind, Object.keys(kind.config), environment);
}

function valuesIn(
  kind: ConnectorKind,
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[variableOf(kind, name)];
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
}

/** The only field of the first method that needs but one. */
function shortField(kind: ConnectorKind): string | undefined {
  for (const { fields } of Object.values(kind.auth)) {
    const required = Object.keys(fields).filter((name) => fields[name]?.isRequired === true);
    if (required.length === 1) return required[0];
  }
  return undefined;
}

function fieldNames(kind: ConnectorKind): readonly string[] {
  return [...new Set(Object.values(kind.auth).flatMap(({ fields }) => Object.keys(fields)))];
}

function variableOf(kind: ConnectorKind, name: string): string {
  return `${prefixOf(kind)}_${name.toUpperCase()}`;
}

function prefixOf({ kind, aliases }: ConnectorKind): string {
  return (aliases[0] ?? kind).toUpperCase().replaceAll('-', '_');
}

const UPSTREAM_VARIABLE = /^PATCHBAY_(UPSTREAM_|OAUTH_.*_DISTRIBUTION$)/;

/**
 * What the operator says of the upstream, as the service takes it: another address, such as that of a
 * proxy or the sandbox, and how the app is distributed.
 */
async function upstreamOptions({ kind }: ConnectorKind, environment: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name]) => UPSTREAM_VARIABLE.test(name)),
  );
  if (Object.keys(given).length === 0) return {};
  const { readConfiguration } = await import('@patchbay/server');
  const { upstreams, distributions } = readConfiguration(given);
  const { baseUrl, limits, fileOrigins } = upstreams[kind] ?? {};
  const distribution = distributions[kind];
  return {
    // Of the kind's own words, or the configuration had been refused.
    ...(distribution === undefined ? {} : { distribution: distribution as never }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(limits === undefined ? {} : { upstreamLimits: limits }),
    ...(fileOrigins === undefined ? {} : { fileOrigins }),
  };
}
