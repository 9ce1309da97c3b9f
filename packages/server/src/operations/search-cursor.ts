import { timingSafeEqual } from 'node:crypto';
import { ConnectorError } from '@patchbay/connectors';
import type { CopyId } from '@patchbay/store';
import type { Owner, Vault } from '../vault/vault.ts';

/** Far longer than any that a search gives. */
export const MAX_CURSOR_LENGTH = 16 * 1024;

/** Base64url has none, so what comes after the last one is the digest. */
const SEPARATOR = '.';

/**
 * Signs a cursor of the store before it goes out, for the entity of a connector that it belongs to.
 *
 * @see docs/search.md#cursors-and-fields
 */
export function sealCursor(vault: Vault, copy: CopyId, cursor: string): string {
  return `${cursor}${SEPARATOR}${vault.digest(ownerOf(copy), cursor)}`;
}

/**
 * The cursor of the store inside one that came back. Nothing else gets further than this: the store
 * decodes only what it gave.
 *
 * @throws `invalid_cursor` for any that `sealCursor` did not make for the same copy.
 */
export function openCursor(vault: Vault, copy: CopyId, sealed: string): string {
  if (sealed.length > MAX_CURSOR_LENGTH) throw invalid(copy);
  const end = Math.max(0, sealed.lastIndexOf(SEPARATOR));
  const cursor = sealed.slice(0, end);
  if (!isSame(sealed.slice(end), `${SEPARATOR}${vault.digest(ownerOf(copy), cursor)}`))
    throw invalid(copy);
  return cursor;
}

function ownerOf({ connectorId, entity }: CopyId): Owner {
  return `cursor:${connectorId}:${entity}`;
}

/** Without telling by the time it takes where two texts begin to differ. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function invalid({ entity }: CopyId): ConnectorError<'invalid_cursor'> {
  return new ConnectorError(
    'invalid_cursor',
    { entity, action: 'search' },
    {
      message:
        'The cursor cannot be used: it is none that a search of this entity of this connector gave. Begin without a cursor.',
    },
  );
}
