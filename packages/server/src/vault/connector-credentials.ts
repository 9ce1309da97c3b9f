import { isJsonObject, type CheckedCredentials } from '@patchbay/connectors';
import type { ConnectorRow } from '@patchbay/store';
import type { Vault } from './vault.ts';

/** Seals the credentials of a connector for its row. */
export function sealCredentials(
  vault: Vault,
  connectorId: string,
  credentials: CheckedCredentials,
): Promise<string> {
  return vault.seal(`connector:${connectorId}`, JSON.stringify(credentials.values));
}

/** Opens the credentials of a row; rejects when they were sealed for another connector. */
export async function openCredentials(
  vault: Vault,
  row: Pick<ConnectorRow, 'id' | 'authMethod' | 'sealedCredentials'>,
): Promise<CheckedCredentials> {
  const text = await vault.open(`connector:${row.id}`, row.sealedCredentials);
  const parsed: unknown = JSON.parse(text);
  if (!isJsonObject(parsed)) throw new Error(`the credentials of ${row.id} are no object`);
  const values = Object.entries(parsed).map(([name, value]) => [name, String(value)] as const);
  return { method: row.authMethod, values: Object.fromEntries(values) };
}
