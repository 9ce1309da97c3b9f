import type { Store } from '@patchbay/store';
import type { Route } from './route.ts';

/** @see docs/wire.md#backup */
export function backupRoutes(store: Pick<Store, 'backup'>): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/backup',
      reach: 'operation',
      doc: {
        summary: 'Make a backup of the database while it is in use; only a whole file is one',
        tag: 'Operation',
        type: 'application/octet-stream',
      },
      handle: () => ({
        status: 200,
        type: 'application/octet-stream',
        headers: { 'content-disposition': 'attachment' },
        stream: store.backup(),
      }),
    },
  ];
}
