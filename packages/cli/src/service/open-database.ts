import { resolve } from 'node:path';
import { openStore, type Store, type StoreLogger } from '@patchbay/store';

/** The database that commands work on themselves, without a service. */
interface OpenedDatabase {
  readonly store: Store & AsyncDisposable;
  /** What to call it; without a password. */
  readonly place: string;
}

/**
 * Opens the database that the environment names, where the service has it, and brings its schema up
 * to date. Nothing else of the service's configuration is looked at.
 *
 * @throws StoreError.
 */
export async function openDatabase(
  environment: NodeJS.ProcessEnv,
  logger?: StoreLogger,
): Promise<OpenedDatabase> {
  const databaseUrl = nonEmpty(environment['DATABASE_URL']);
  const dataFolder = resolve(nonEmpty(environment['PATCHBAY_DATA']) ?? 'data');
  const store = await openStore({
    ...(databaseUrl === undefined ? { dataFolder } : { databaseUrl }),
    ...(logger === undefined ? {} : { logger }),
  });
  return { store, place: databaseUrl === undefined ? dataFolder : 'the database of DATABASE_URL' };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
