import assert from 'node:assert/strict';
import type { CheckedCredentials } from '@patchbay/connectors/engine';
import type { ConnectorRow, Store } from '@patchbay/store';
import { sealCredentials } from '../../src/vault/connector-credentials.ts';
import { Vault } from '../../src/vault/vault.ts';
import { MASTER_KEY } from './start-test-service.ts';

/** Stores renewed credentials of a connector, as another process would. */
export async function renewCredentials(
  { connectors }: Pick<Store, 'connectors'>,
  id: string,
  values: CheckedCredentials['values'],
): Promise<ConnectorRow> {
  const { authMethod: method } = await rowOf({ connectors }, id);
  const vault = new Vault(MASTER_KEY);
  const { sealedCredentials } = await sealCredentials(vault, id, { method, values });
  const renewed = await connectors.update(id, { sealedCredentials });
  assert.ok(renewed !== undefined);
  return renewed;
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
