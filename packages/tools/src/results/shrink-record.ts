import type { JsonObject } from '../host.ts';
import { bytesOf } from './budget.ts';

/** A record without its largest fields. */
export interface ShrunkRecord {
  readonly record: JsonObject;
  /** Names of the fields that were left out, the largest first. */
  readonly leftOut: readonly string[];
}

/** At most so many names are listed; a record with more fields left out is of no use anyway. */
const MAX_NAMES_TOLD = 50;

/**
 * Makes a record fit by leaving out its largest fields, as few as possible. A notice stands in for
 * the value of each, and where even notices are too long, nothing does.
 */
export function shrinkRecord(record: JsonObject, maxBytes: number): ShrunkRecord {
  const sizes = Object.entries(record)
    .map(([name, value]) => ({ name, bytes: bytesOf(value ?? null) }))
    .toSorted((one, other) => other.bytes - one.bytes);
  const shrunk: Record<string, unknown> = { ...record };
  const leftOut: string[] = [];
  let total = bytesOf(record);
  for (const { name, bytes } of sizes) {
    if (total <= maxBytes) break;
    const notice = `[left out: ${bytes} bytes]`;
    if (bytesOf(notice) >= bytes) break;
    shrunk[name] = notice;
    total -= bytes - bytesOf(notice);
    leftOut.push(name);
  }
  // Many small fields: the last ones go, as the first are what identifies a record.
  for (const name of Object.keys(shrunk).toReversed()) {
    if (total <= maxBytes) break;
    total -= bytesOf({ [name]: shrunk[name] }) - 1;
    delete shrunk[name];
    if (!leftOut.includes(name)) leftOut.push(name);
  }
  return { record: shrunk, leftOut };
}

/** The names of fields, cut to a readable number. */
export function namesTold(names: readonly string[]): readonly string[] {
  if (names.length <= MAX_NAMES_TOLD) return names;
  const more = names.length - MAX_NAMES_TOLD;
  return [...names.slice(0, MAX_NAMES_TOLD), `and ${more} more`];
}
