import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { findKind, systemClock, type CheckedCredentials } from '@patchbay/connectors/engine';
import type { ConnectorRow, Store } from '@patchbay/store';
import { sealRenewed } from '../../src/vault/connector-credentials.ts';
import { MASTER_KEY } from './start-test-service.ts';
import { vaultOf } from './vault-of.ts';

/** Stores renewed credentials of a connector, as another process would. */
export async function renewCredentials(
  { connectors }: Pick<Store, 'connectors'>,
  id: string,
  values: CheckedCredentials['values'],
): Promise<ConnectorRow> {
  const row = await rowOf({ connectors }, id);
  const method = row.authMethod;
  const vault = vaultOf(MASTER_KEY);
  const sealing = { vault, clock: systemClock, kind: findKind(row.kind), connectorId: id };
  const { sealedCredentials } = await sealRenewed(sealing, { method, values });
  const renewed = await connectors.update(id, { sealedCredentials });
  assert.ok(renewed !== undefined);
  return renewed;
}

/** Whose the credentials of a connector are, once that is known. */
export async function accountOf(
  store: Pick<Store, 'connectors'>,
  id: string,
): Promise<ConnectorRow['account']> {
  for (;;) {
    const { account } = await rowOf(store, id);
    if (account !== null) return account;
    await setImmediate();
  }
}

/** The row of a connector as the database has it. */
export async function rowOf(
  { connectors }: Pick<Store, 'connectors'>,
  id: string,
): Promise<ConnectorRow> {
  const row = await connectors.find(id);
  assert.ok(row !== undefined);
  return row;
}
