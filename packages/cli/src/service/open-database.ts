import { resolve } from 'node:path';
import { describeDatabase, openStore, type Store, type StoreOptions } from '@patchbay/store';

/** The database that commands work on themselves, without a service. */
interface OpenedDatabase {
  readonly store: Store & AsyncDisposable;
  /** What to call it; without a password. */
  readonly place: string;
}

/** How a database is to be opened. */
type OpeningOptions = Pick<StoreOptions, 'logger' | 'mustExist' | 'distribute'>;

/**
 * Opens the database that the environment names, where the service has it, and brings its schema up
 * to date. Nothing else of the service's configuration is looked at.
 *
 * @throws StoreError.
 */
export async function openDatabase(
  environment: NodeJS.ProcessEnv,
  options: OpeningOptions = {},
): Promise<OpenedDatabase> {
  const { databaseUrl, dataFolder } = databasePlace(environment);
  const store = await openStore({
    ...(databaseUrl === undefined ? { dataFolder } : { databaseUrl }),
    ...options,
  });
  return { store, place: databaseUrl === undefined ? dataFolder : describeDatabase(databaseUrl) };
}

/** Where the environment says that the database is: a server's, or else the embedded one in a folder. */
export function databasePlace(environment: NodeJS.ProcessEnv): {
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
} {
  return {
    databaseUrl: nonEmpty(environment['DATABASE_URL']),
    dataFolder: resolve(nonEmpty(environment['PATCHBAY_DATA']) ?? 'data'),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
