import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 10 * 512;

/** Random bytes are drawn in bulk: one draw for each id would cost more than the rest of it. */
const pool = Buffer.alloc(POOL_BYTES);
let poolOffset = POOL_BYTES;

/**
 * A new UUIDv7: 48 bits of milliseconds, then 74 random bits, so that ids sort by time.
 *
 * @param nowMs Milliseconds since 1970.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
export function newUuid(nowMs: number): string {
  if (poolOffset >= POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const version = 0x7000 | (pool.readUInt16BE(poolOffset) & 0x0fff);
  const variant = 0x8000 | (pool.readUInt16BE(poolOffset + 2) & 0x3fff);
  const tail = pool.toString('hex', poolOffset + 4, poolOffset + 10);
  poolOffset += 10;
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${version.toString(16)}-${variant.toString(16)}-${tail}`;
}
