import { existsSync } from 'node:fs';

/** The operator's key, and whose it is. */
export interface KnownOperatorKey {
  readonly key: string;
  /** Where it was found, in the words of an error. */
  readonly source: string;
  /**
   * Made by a service that was started here, beside this data folder: it goes to this machine alone, and
   * while a process has the folder open. `undefined` where it was given.
   */
  readonly dataFolder: string | undefined;
}

const VARIABLES = ['PATCHBAY_OPERATOR_KEY', 'PATCHBAY_OPERATOR_KEY_FILE', 'PATCHBAY_DATA'] as const;

/**
 * The operator's key that a service with this environment has, where it is known; none is made.
 *
 * @param warn Told of a key file that should be mended.
 * @throws ServiceError `configuration_invalid` and `operator_key_unusable`.
 */
export async function findOperatorKey(
  environment: NodeJS.ProcessEnv,
  warn: (problem: string) => void,
): Promise<KnownOperatorKey | undefined> {
  const { loadOperatorKey, readConfiguration } = await import('@patchbay/server');
  const given = Object.fromEntries(VARIABLES.map((name) => [name, environment[name]]));
  const { operatorKey, dataFolder } = readConfiguration(given);
  if (operatorKey === undefined) return undefined;
  if (operatorKey.from === 'environment')
    return { key: operatorKey.key, source: 'PATCHBAY_OPERATOR_KEY', dataFolder: undefined };
  const { path, mayCreate: isOfServiceHere } = operatorKey;
  // With DATABASE_URL, a service takes no file that nobody named; a first start is yet to make one.
  if (isOfServiceHere && (isSet(environment['DATABASE_URL']) || !existsSync(path)))
    return undefined;
  const key = await loadOperatorKey({ ...operatorKey, mayCreate: false }, warn);
  return { key, source: path, dataFolder: isOfServiceHere ? dataFolder : undefined };
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}
