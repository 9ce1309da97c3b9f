import { newDrift, projectValue } from '../execution/projection.ts';
import { asString } from '../scalars.ts';
import { searchableValues, wellFormedText } from '../search/storable-values.ts';
import { PARAM_PART, type Entity } from '../vocabulary/index.ts';
import type { CopiedRecord } from './contract.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What the copy holds of a raw record: its key, and every searchable field. `undefined` for a record
 * without a usable key.
 *
 * @param params What listed it; where records have fields or a part of their key from params.
 */
export function copiedRecord(
  entity: Entity,
  raw: JsonObject,
  params: JsonObject,
): CopiedRecord | undefined {
  const key = recordKey(entity, raw, params);
  if (key === undefined) return undefined;
  return { key, values: searchableValues(entity, withParams(entity, raw, params)) };
}

/** Like `copiedRecord`, with only those fields that the raw record, or the params, really have. */
export function partialRecord(
  entity: Entity,
  raw: JsonObject,
  params: JsonObject,
): CopiedRecord | undefined {
  const record = copiedRecord(entity, raw, params);
  if (record === undefined) return undefined;
  const known = withParams(entity, raw, params);
  const values = Object.entries(record.values).filter(([name]) => known[name] !== undefined);
  return { key: record.key, values: Object.fromEntries(values) };
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
