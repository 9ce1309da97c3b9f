import type { Application, Store } from '@patchbay/store';
import { CommandError } from '../../terminal.ts';

/** Opens the database, which has to be there, for something that is done to one application, and closes it after. */
export async function withApplication(
  environment: NodeJS.ProcessEnv,
  clientId: string,
  run: (application: Application, store: Store) => Promise<void>,
): Promise<void> {
  const { openDatabase } = await import('../../service/open-database.ts');
  const { store } = await openDatabase(environment, { mustExist: true });
  await using _ = store;
  const application = await store.applications.findByClientId(clientId);
  if (application === undefined)
    throw new CommandError(`There is no application ${JSON.stringify(clientId)}.`);
  await run(application, store);
}
