import { newDrift, projectValue } from '../execution/projection.ts';
import { asString } from '../scalars.ts';
import { searchableValues, wellFormedText } from '../search/storable-values.ts';
import { PARAM_PART, type Entity, type Field } from '../vocabulary/index.ts';
import type { CopiedRecord } from './contract.ts';
import { countLost, countUnknown, type DriftCount } from './copy-drift.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What the copy holds of a raw record: its key, and every searchable field. `undefined` for a record
 * without a usable key.
 *
 * @param from.params What listed it; where records have fields or a part of their key from params.
 * @param from.drift Counts what the record has that the copy does not take.
 */
export function copiedRecord(
  entity: Entity,
  raw: JsonObject,
  { params, drift }: { readonly params: JsonObject; readonly drift?: DriftCount },
): CopiedRecord | undefined {
  const key = recordKey(entity, raw, params);
  if (key === undefined) return undefined;
  const given = withParams(entity, raw, params);
  if (drift === undefined) return { key, values: searchableValues(entity, given) };
  countUnknown(entity, raw, drift);
  const values = searchableValues(entity, given, (name, why) => {
    if (why === 'size' || !isOfRecordType(entity.record[name], given[name]))
      countLost(drift, [name]);
  });
  return { key, values };
}

/** Some fields are searched by another type than records have them of: then some values have no place there. */
function isOfRecordType(field: Field | undefined, value: unknown): boolean {
  if (field === undefined) return false;
  const drift = newDrift();
  projectValue(field, value, drift);
  return drift.lostValues === 0;
}

/** Like `copiedRecord`, with only those fields that the raw record, or the params, really have. */
export function partialRecord(
  entity: Entity,
  raw: JsonObject,
  params: JsonObject,
): CopiedRecord | undefined {
  const record = copiedRecord(entity, raw, { params });
  if (record === undefined) return undefined;
  const known = withParams(entity, raw, params);
  const values = Object.entries(record.values).filter(([name]) => known[name] !== undefined);
  return { key: record.key, values: Object.fromEntries(values) };
}

/** In UTF-8. B-tree entries have at most 2,704 bytes, and keys stand beside sortable texts there. */
export const MAX_KEY_BYTES = 1_000;

/** Whether a copy takes a record of that key. Some are names that people give, as those of tags. */
export function isKeyCopied(key: string): boolean {
  // A unit of UTF-16 is three bytes at most.
  return key.length * 3 <= MAX_KEY_BYTES || new TextEncoder().encode(key).length <= MAX_KEY_BYTES;
}

/**
 * The key of a raw record as text, its parts joined by `:`; `undefined` where a part is missing that
 * is always there.
 */
export function recordKey(entity: Entity, raw: JsonObject, params: JsonObject): string | undefined {
  const parts: string[] = [];
  for (const part of entity.key) {
    const text = asString(partOf(entity, part, { raw, params })) ?? '';
    const isNeeded = part.startsWith(PARAM_PART) || entity.record[part]?.['x-always'] === true;
    if (text === '' && isNeeded) return undefined;
    parts.push(text);
  }
  return parts.length === 0 ? undefined : wellFormedText(parts.join(':'));
}

function partOf(
  entity: Entity,
  part: string,
  { raw, params }: { readonly raw: JsonObject; readonly params: JsonObject },
): unknown {
  if (part.startsWith(PARAM_PART)) return params[part.slice(PARAM_PART.length)];
  const field = entity.record[part];
  return field === undefined ? undefined : projectValue(field, raw[part], newDrift());
}

function withParams({ search }: Entity, raw: JsonObject, params: JsonObject): JsonObject {
  if (search?.fromParams === undefined) return raw;
  const values: Record<string, unknown> = { ...raw };
  for (const [name, param] of Object.entries(search.fromParams)) values[name] = params[param];
  return values;
}
