import type { Warning } from '@patchbay/connectors';
import type { Store } from '@patchbay/store';

const NO_WORKER: Warning = {
  code: 'no_worker',
  message:
    'No process copies records: none with the role "all" or "worker" runs on this database. Calls go on; searches find nothing new until one is started.',
};

/** How many processes copy records, and a warning where none does. */
export async function lookForWorkers({ instances }: Pick<Store, 'instances'>): Promise<{
  readonly workers: number;
  readonly warnings: readonly Warning[];
}> {
  const workers = await instances.countWorkers();
  return { workers, warnings: workers === 0 ? [NO_WORKER] : [] };
}
