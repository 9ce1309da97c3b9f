import { faultsOf, isConnectorError, type ConnectorKind } from '@patchbay/connectors/definitions';
import { CommandError } from '../terminal.ts';

/** Which settings of a connector. */
export type SettingPart = 'config' | 'replicationConfig';

type Values = Readonly<Record<string, unknown>>;

/** Where the faults of the settings stand. */
const PATHS = { config: 'config', replicationConfig: 'replication_config' } as const;

/** What is usual for the settings of a kind where nobody says anything, as a person would type it. */
export async function usualSettings(
  kind: ConnectorKind,
  part: SettingPart,
): Promise<Readonly<Record<string, string>>> {
  const usual = Object.entries(await usualValues(kind, part));
  return Object.fromEntries(
    usual.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

async function usualValues(kind: ConnectorKind, part: SettingPart): Promise<Values> {
  const defaults = Object.entries(kind[part]).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  if (part === 'config' || kind.usualReplicationConfig === undefined)
    return Object.fromEntries(defaults);
  const { completeReplicationConfig } = await loadEngine();
  return completeReplicationConfig(kind, undefined, Date.now()) ?? {};
}

/** @throws CommandError where the service would refuse the value of a setting. */
export async function checkSetting(
  kind: ConnectorKind,
  part: SettingPart,
  { name, value }: { readonly name: string; readonly value: unknown },
): Promise<void> {
  const { checkConfig, checkReplicationConfig } = await loadEngine();
  const check = part === 'config' ? checkConfig : checkReplicationConfig;
  throwFaultAt(`${PATHS[part]}.${name}`, name, () => void check(kind, { [name]: value }));
}

/** @throws CommandError where the service would refuse the value of a field; tells nothing of it. */
export async function checkCredential(
  kind: ConnectorKind,
  method: string,
  {
    name,
    value,
    others,
  }: {
    readonly name: string;
    readonly value: string;
    readonly others: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { checkCredentials } = await loadEngine();
  const given: Record<string, string> = {};
  // A value is looked at once none is missing: what has not been asked for yet is made up.
  for (const [each, { isRequired }] of Object.entries(kind.auth[method]?.fields ?? {}))
    if (isRequired) given[each] = 'x';
  Object.assign(given, others, { [name]: value });
  throwFaultAt(`credentials.${name}`, name, () => void checkCredentials(kind, given));
}

/** Throws the fault of one value; those of others are not asked about. */
function throwFaultAt(field: string, name: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isConnectorError(error)) throw error;
    const fault = faultsOf(error).find((each) => each.field === field);
    if (fault !== undefined) throw new CommandError(`${name} ${fault.message}.`);
  }
}

/** Loaded late: it takes longer to load than most commands to run. */
function loadEngine() {
  return import('@patchbay/connectors/engine');
}
