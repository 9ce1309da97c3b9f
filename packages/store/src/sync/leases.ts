import { setTimeout } from 'node:timers/promises';
import { sql, type CompiledQuery, type Expression, type Transaction } from 'kysely';
import type { Database, Tables } from '../database.ts';
import { checkStorable } from '../storable-text.ts';
import { StoreError } from '../store-error.ts';
import { isUuid } from '../uuid.ts';
import { DATABASE_NOW, databaseNowPlus } from '../database-clock.ts';
import type { Answers } from '../execute-together.ts';
import { joinedTransaction, type Ending } from '../joined-transaction.ts';
import { lookAfterLease, settle } from '../sync-queue.ts';
import type { Lease, Syncs } from '../contract/syncs.ts';

/**
 * Takes a lease that is free, has run out, or is of that owner: `undefined` otherwise, for a deleted
 * connector, and while the copy of another account is being deleted. Others look at it once the lease has run out.
 */
export async function takeLease(
  database: Database,
  request: Parameters<Syncs['takeLease']>[0],
): Promise<Lease | undefined> {
  const { connectorId, owner, ttlMs } = request;
  if (!isUuid(connectorId)) return undefined;
  checkStorable({ 'lease owner': owner });
  const taken = await database
    .updateTable('connector_syncs')
    .set({
      lease_owner: owner,
      lease_epoch: sql<number>`lease_epoch + 1`,
      lease_expires_at: databaseNowPlus(ttlMs),
    })
    .where('connector_id', '=', connectorId)
    .where('deleted_at', 'is', null)
    .where('discarded_at', 'is', null)
    .where((present) =>
      present.or([
        present('lease_owner', 'is', null),
        present('lease_owner', '=', owner),
        present('lease_expires_at', '<=', DATABASE_NOW),
      ]),
    )
    .returning(['lease_epoch as epoch', 'copy_number as copyNumber'])
    .executeTakeFirst();
  if (taken === undefined) {
    await settle(database, connectorId);
    return undefined;
  }
  await lookAfterLease(database, connectorId, ttlMs);
  return { connectorId, owner, ...taken };
}

/** A lease whose row is locked is asked about again after so long. */
const ASK_AGAIN_MS = 100;

/**
 * Holds a lease for longer; one that has run out lives again if nobody has taken it over. While its row
 * is locked, mostly by what is written under it, nobody can take it over, and no connection waits: it is
 * renewed at the end.
 */
export async function renewLease(database: Database, lease: Lease, ttlMs: number): Promise<void> {
  for (;;) {
    const { isRenewed, isOurs } = await renewUnlocked(database, lease, ttlMs);
    if (isRenewed) {
      await lookAfterLease(database, lease.connectorId, ttlMs);
      return;
    }
    if (!isOurs) throw leaseLost(lease);
    await setTimeout(ASK_AGAIN_MS);
  }
}

async function renewUnlocked(
  database: Database,
  lease: Lease,
  ttlMs: number,
): Promise<{ readonly isRenewed: boolean; readonly isOurs: boolean }> {
  const { rows } = await sql<{ isRenewed: boolean; isOurs: boolean }>`
    with renewed as (
      update patchbay.connector_syncs set lease_expires_at = ${databaseNowPlus(ttlMs)}
      where connector_id = ${lease.connectorId}::uuid and connector_id = (
        select connector_id from patchbay.connector_syncs where ${isHeld(lease)}
        for no key update skip locked
      )
      returning 1
    )
    select exists (select from renewed) as "isRenewed",
      exists (select from patchbay.connector_syncs where ${isHeld(lease)}) as "isOurs"
  `.execute(database);
  const [state] = rows;
  if (state === undefined) throw new Error('a statement that always has a row had none');
  return state;
}

/** Gives the lease up, so that others look at what is left; nothing happens when it is lost already. */
export async function releaseLease(database: Database, lease: Lease): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable('connector_syncs')
    .set({ lease_owner: null, lease_expires_at: null })
    .where(isHeld(lease))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await settle(database, lease.connectorId);
}

/** Ends every lease of a database that one process alone uses: when it starts, nobody else can hold any. Returns of which connectors. */
export async function releaseAllLeases(database: Database): Promise<readonly string[]> {
  const released = await database
    .updateTable('connector_syncs')
    .set({ lease_owner: null, lease_expires_at: null })
    .where('lease_owner', 'is not', null)
    .returning('connector_id as connectorId')
    .execute();
  return released.map(({ connectorId }) => connectorId);
}

/**
 * Runs a transaction that changes something under a lease. Whoever takes the lease over comes
 * before the whole of it, so that nothing of it happens, or waits for its end.
 *
 * @throws `lease_lost`
 */
export async function underLease<T>(
  database: Database,
  lease: Lease,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return await database.transaction().execute(async (transaction) => {
    await requireLease(transaction, lease);
    return await work(transaction);
  });
}

/**
 * Locks the lease until the end of the transaction. The lock is shared, since the entities of one
 * connector may be read side by side.
 *
 * @throws `lease_lost`
 */
async function requireLease(transaction: Transaction<Tables>, lease: Lease): Promise<void> {
  const held = await lockHeld(transaction, lease).executeTakeFirst();
  if (held === undefined) throw leaseLost(lease);
}

function lockHeld(database: Database, lease: Lease) {
  return database
    .selectFrom('connector_syncs')
    .select('connector_id')
    .where(isHeld(lease))
    .forShare();
}

/**
 * The same as {@link underLease}, whose statements travel as those of a `joinedTransaction`.
 *
 * @throws `lease_lost`
 */
export async function joinedUnderLease<const First extends readonly CompiledQuery[], Row, T>(
  database: Database,
  { lease, first }: { readonly lease: Lease; readonly first: First },
  work: (transaction: Database, answers: Answers<First>) => Promise<Ending<Row, T>>,
): Promise<T> {
  const lock = lockHeld(database, lease).compile();
  return await joinedTransaction(database, [lock, ...first], async (transaction, answers) => {
    const [{ rows: held }, ...others] = answers;
    if (held.length === 0) throw leaseLost(lease);
    return await work(transaction, others);
  });
}

/** Whether a row of `connector_syncs` is still under that lease. */
export function isHeld({ connectorId, owner, epoch }: Lease): Expression<boolean> {
  return sql<boolean>`(connector_id = ${connectorId} and lease_owner = ${owner} and lease_epoch = ${epoch})`;
}

export function leaseLost({ connectorId, owner, epoch }: Lease): StoreError {
  return new StoreError(
    'lease_lost',
    `The lease ${epoch} of ${owner} on the connector ${connectorId} has passed on, or the connector is deleted; nothing was changed.`,
  );
}
