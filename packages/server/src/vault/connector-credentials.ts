import { isDeepStrictEqual } from 'node:util';
import type { Clock, ConnectorKind } from '@patchbay/connectors';
import {
  accessTokenOf,
  isJsonObject,
  isRenewable,
  isRevocable,
  tokenLifeOf,
  type CheckedCredentials,
} from '@patchbay/connectors/engine';
import type { ConnectorRow, GivenCredentials, IssuedToken } from '@patchbay/store';
import { SealedTextError } from './sealed-text.ts';
import type { Vault } from './vault.ts';

/** What the credentials of a connector are sealed with. */
export interface Sealing {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly kind: ConnectorKind;
  readonly connectorId: string;
}

/**
 * What the row of a connector keeps of the credentials that a person gives.
 *
 * @param isConsented They were not typed in, but issued to us by that person's consent.
 */
export async function sealCredentials(
  sealing: Sealing,
  credentials: CheckedCredentials,
  { isConsented = false }: { readonly isConsented?: boolean | undefined } = {},
): Promise<GivenCredentials> {
  const { kind } = sealing;
  return {
    authMethod: credentials.method,
    credentialsDigest: digestCredentials(sealing, credentials),
    isRevocable: isRevocable(kind, credentials.method, { isConsented }),
    isRenewable: isRenewable(kind, credentials),
    ...(await sealRenewed(sealing, credentials)),
  };
}

/** What it keeps of the same credentials, renewed. */
export async function sealRenewed(
  { vault, clock, kind, connectorId }: Sealing,
  credentials: CheckedCredentials,
): Promise<IssuedToken> {
  const text = JSON.stringify(credentials.values);
  const life = tokenLifeOf(kind, credentials, { nowMs: clock.now(), random: Math.random() });
  const isRenewed = life !== undefined && isRenewable(kind, credentials);
  return {
    sealedCredentials: await vault.seal(ownerOf(connectorId), text),
    renewAt: isRenewed ? new Date(life.dueAt) : null,
    tokenEndsAt: life === undefined ? null : new Date(life.endsAt),
    tokenDigest: digestAccessToken({ vault, kind }, credentials),
  };
}

/** Equal for the same access token of whichever connector; null where there is none. */
export function digestAccessToken(
  { vault, kind }: Pick<Sealing, 'vault' | 'kind'>,
  credentials: CheckedCredentials,
): string | null {
  const token = accessTokenOf(kind, credentials);
  return token === undefined ? null : vault.digest('access-token', token);
}

/** Equal for equal credentials of the connector, in whichever order their fields were given. */
export function digestCredentials(
  { vault, connectorId }: Pick<Sealing, 'vault' | 'connectorId'>,
  { method, values }: CheckedCredentials,
): string {
  const inOrder = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return vault.digest(ownerOf(connectorId), JSON.stringify([method, inOrder]));
}

/** Opens the credentials of a row; rejects as `open` of the vault. */
export async function openCredentials(
  vault: Vault,
  row: Pick<ConnectorRow, 'id' | 'authMethod' | 'sealedCredentials'>,
): Promise<CheckedCredentials> {
  const text = await vault.open(ownerOf(row.id), row.sealedCredentials);
  const parsed: unknown = JSON.parse(text);
  if (!isJsonObject(parsed)) throw new Error(`the credentials of ${row.id} are no object`);
  const values = Object.entries(parsed).map(([name, value]) => [name, String(value)] as const);
  return { method: row.authMethod, values: Object.fromEntries(values) };
}

/** The same; `undefined` where the sealed text was damaged. */
export async function openUnlessDamaged(
  vault: Vault,
  row: Parameters<typeof openCredentials>[1],
): Promise<CheckedCredentials | undefined> {
  try {
    return await openCredentials(vault, row);
  } catch (error) {
    if (error instanceof SealedTextError) return undefined;
    throw error;
  }
}

/** What stands for credentials whose sealed text does not open: a method, and no value. */
export function lostCredentials({
  authMethod,
}: Pick<ConnectorRow, 'authMethod'>): CheckedCredentials {
  return { method: authMethod, values: {} };
}

/** Whether they stand for lost ones; each method has a value at least. */
export function areLost({ values }: CheckedCredentials): boolean {
  return Object.keys(values).length === 0;
}

/** Whether they are the same, however they are sealed. */
export function areSameCredentials(one: CheckedCredentials, other: CheckedCredentials): boolean {
  return isDeepStrictEqual(one, other);
}

/** Whether both sign with the same access token by the same method, and are renewed with the same refresh token, if any. */
export function shareTokens(
  kind: ConnectorKind,
  one: CheckedCredentials,
  other: CheckedCredentials,
): boolean {
  const token = accessTokenOf(kind, one);
  return (
    token !== undefined &&
    one.method === other.method &&
    token === accessTokenOf(kind, other) &&
    one.values['refresh_token'] === other.values['refresh_token']
  );
}

/** Whether both are renewed with the same refresh token: it is good for one of them. */
export function shareRefreshToken(one: CheckedCredentials, other: CheckedCredentials): boolean {
  const { refresh_token: token } = one.values;
  return token !== undefined && token === other.values['refresh_token'];
}

/** What is sealed for one connector opens for no other. */
function ownerOf(connectorId: string) {
  return `connector:${connectorId}` as const;
}
