import { isJsonObject, type CheckedCredentials } from '@patchbay/connectors/engine';
import type { ConnectorRow, GivenCredentials } from '@patchbay/store';
import type { Vault } from './vault.ts';

/** What the row of a connector keeps of the credentials that a person gives. */
export async function sealCredentials(
  vault: Vault,
  connectorId: string,
  credentials: CheckedCredentials,
): Promise<GivenCredentials> {
  return {
    authMethod: credentials.method,
    sealedCredentials: await vault.seal(
      `connector:${connectorId}`,
      JSON.stringify(credentials.values),
    ),
    credentialsDigest: digestCredentials(vault, connectorId, credentials),
  };
}

/** Equal for equal credentials of the connector, in whichever order their fields were given. */
export function digestCredentials(
  vault: Vault,
  connectorId: string,
  { method, values }: CheckedCredentials,
): string {
  const inOrder = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return vault.digest(`connector:${connectorId}`, JSON.stringify([method, inOrder]));
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
