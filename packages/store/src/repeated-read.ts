import { isStoreError } from './store-error.ts';

/**
 * Reads once more where the connection was lost: another one mostly works, for example after a
 * restart of the server. Only for reads outside transactions; a write may have happened.
 */
export async function repeatedRead<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isStoreError(error, 'database_unreachable')) throw error;
    return await read();
  }
}
