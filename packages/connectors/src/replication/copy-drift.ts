import { wellFormedText } from '../search/storable-values.ts';
import { knownFieldsOf, type Entity } from '../vocabulary/index.ts';

/** What records had that the definition does not know, and what of them their copy could not take. */
export interface CopyDrift {
  /** Names of fields that are not copied: some of them, cut where they are long. */
  readonly unknownFields: readonly string[];
  /** Values of another type than their field has. */
  readonly lostValues: number;
  /** The fields that they are of. */
  readonly lostFields: readonly string[];
}

/** Counts what is found in the records of a page. */
export interface DriftCount {
  /** As the upstream spells them. */
  readonly unknownFields: Set<string>;
  lostValues: number;
  readonly lostFields: Set<string>;
}

const MAX_NAMES = 20;
const MAX_NAME = 64;

/** A drift of which nothing has been found yet. */
export function newDriftCount(): DriftCount {
  return { unknownFields: new Set(), lostValues: 0, lostFields: new Set() };
}

/** Counts the fields of a raw record that its entity knows nothing of. */
export function countUnknown(
  entity: Entity,
  raw: Readonly<Record<string, unknown>>,
  { unknownFields }: DriftCount,
): void {
  const known = knownFieldsOf(entity);
  for (const name in raw)
    if (!known.has(name) && unknownFields.size < MAX_NAMES) unknownFields.add(name);
}

/** Counts a value that the copy does not take, and the fields that it is of. */
export function countLost(count: DriftCount, fields: readonly string[]): void {
  count.lostValues++;
  for (const field of fields) count.lostFields.add(field);
}

/**
 * What was counted; `undefined` where that is nothing.
 *
 * @param redact Takes credentials out of a name; before it is cut, since a half of them would stay.
 */
export function driftOf(
  { unknownFields, lostValues, lostFields }: DriftCount,
  redact: (name: string) => string,
): CopyDrift | undefined {
  if (unknownFields.size === 0 && lostValues === 0) return undefined;
  const names = new Set([...unknownFields].map((name) => shownName(redact(name))));
  return { unknownFields: [...names], lostValues, lostFields: [...lostFields] };
}

/** Both together. */
export function joinedDrift(
  one: CopyDrift | null | undefined,
  other: CopyDrift | null | undefined,
): CopyDrift | undefined {
  if (one === null || one === undefined) return other ?? undefined;
  if (other === null || other === undefined) return one;
  const unknownFields = new Set([...one.unknownFields, ...other.unknownFields]);
  return {
    unknownFields: [...unknownFields].slice(0, MAX_NAMES),
    lostValues: one.lostValues + other.lostValues,
    lostFields: [...new Set([...one.lostFields, ...other.lostFields])],
  };
}

/** A name is the upstream's: of any length, and of any characters. */
function shownName(name: string): string {
  const text = wellFormedText(name).replaceAll(/\p{Cc}/gu, '\uFFFD');
  return text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME - 1).toWellFormed()}…`;
}
