import type { Configuration } from '@patchbay/server';

/** The settings that say where the database is, and which keys belong to it. */
const VARIABLES = [
  'PATCHBAY_DATA',
  'DATABASE_URL',
  'PATCHBAY_MASTER_KEY',
  'PATCHBAY_MASTER_KEY_FILE',
  'PATCHBAY_OLD_MASTER_KEY',
  'PATCHBAY_OLD_MASTER_KEY_FILE',
  'PATCHBAY_OPERATOR_KEY',
  'PATCHBAY_OPERATOR_KEY_FILE',
] as const;

type PlaceVariable = (typeof VARIABLES)[number];

/** Where the database is, and which keys belong to it. */
export type DatabasePlace = Pick<
  Configuration,
  'databaseUrl' | 'dataFolder' | 'masterKey' | 'oldMasterKey' | 'operatorKey'
>;

/**
 * What a service with this environment would have. Nothing else of its configuration is looked at.
 *
 * @param without Variables that do not count.
 * @throws ServiceError `configuration_invalid`.
 */
export async function readDatabasePlace(
  environment: NodeJS.ProcessEnv,
  ...without: readonly PlaceVariable[]
): Promise<DatabasePlace> {
  const { readConfiguration } = await import('@patchbay/server');
  const names = VARIABLES.filter((name) => !without.includes(name));
  return readConfiguration(Object.fromEntries(names.map((name) => [name, environment[name]])));
}
