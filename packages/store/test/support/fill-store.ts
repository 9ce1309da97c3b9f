import { randomUUID } from 'node:crypto';
import type { CopyRecord } from '../../src/contract/copies.ts';
import type { ConnectorRow, Store } from '../../src/contract/store.ts';
import { addConnector, sampleIntent } from './sample-rows.ts';
import { END, FULL, page, startRun, takeLease } from './sample-syncs.ts';

/** Values that suffer where rows go through other hands: numbers beyond a double, quotes, other scripts. */
const NAMES = [
  'Ada Löv "el\\ace"',
  "O'Brien\n\tof the\u2028line",
  'Ζωή 🧭',
  '',
  '{"a":[1,"b"]}',
  '\\N',
];

/** Puts something into most tables; gives the connector whose users are copied. */
export async function fillStore(store: Store, records = 30): Promise<ConnectorRow> {
  const connector = await addConnector(store, {
    config: { z: 1, a: 'first' },
    name: NAMES[0] ?? '',
    account: { id: 'T1', name: 'Harbour', principal: 'U1' },
  });
  const { id: connectorId, applicationId } = connector;
  const deleted = await addConnector(store, { applicationId });
  await store.connectors.delete(deleted.id, randomUUID());
  const lease = await takeLease(store, { connectorId });
  await startRun(store, lease);
  await store.syncs.beginRead(lease, FULL);
  await store.syncs.commitBatch(lease, page(1, { records: sampleUsers(records) }));
  await store.syncs.finishRead(lease, END);
  await store.syncs.beginRead(lease, { ...FULL, mode: 'increment' });
  await store.settings.ensure('first', 'a value');
  await store.signingKeys.create({ id: 'key-1', sealedKey: 'sealed..key' });
  await store.revokedTokens.add({ jti: randomUUID(), revokedBy: 'operator' }, 1_200_000);
  const intent = sampleIntent({ scope: connectorId, key: 'k' });
  await store.idempotency.begin(intent);
  await store.idempotency.finish(intent, { status: 200, body: '{"ok": true}' });
  await store.creations.begin(sampleIntent({ scope: 's', key: 'k' }));
  await store.oauthApps.put({
    id: randomUUID(),
    applicationId,
    kind: 'chat-workspace',
    sealedApp: 'sealed..app',
  });
  await store.instances.beat('a process');
  return connector;
}

export function sampleUsers(count: number): readonly CopyRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `U${index}`;
    return {
      key: id,
      values: {
        id,
        name: `ada.${index}`,
        real_name: NAMES[index % NAMES.length],
        updated: 1.5e15 + index,
      },
    };
  });
}
