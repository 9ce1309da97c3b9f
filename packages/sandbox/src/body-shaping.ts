import type { FaultOf } from './faults.ts';

/** An answer as an object, before it is sent. */
export type JsonBody = Readonly<Record<string, unknown>>;

/** Applies `change` to every record in a body, wherever the vendor keeps its records. */
export type MapRecords = (body: JsonBody, change: (record: JsonBody) => unknown) => unknown;

const UNKNOWN_FIELDS = {
  sandbox_unknown_text: 'a field that no documentation names',
  sandbox_unknown_number: 4.5,
  sandbox_unknown_null: null,
  sandbox_unknown_object: { nested: [{ deeper: true }] },
};

/** Adds undocumented fields to the body and to every record in it. */
export function withUnknownFields(body: JsonBody, mapRecords: MapRecords): JsonBody {
  const changed = mapRecords(body, (record) => ({
    ...record,
    ...UNKNOWN_FIELDS,
    id_v2: 'sandbox',
  }));
  return isJsonObject(changed) ? { ...changed, ...UNKNOWN_FIELDS } : body;
}

/** Puts arrays where objects belong: for the whole body, its records, or objects inside them. */
export function withArrays(
  body: JsonBody,
  where: NonNullable<FaultOf<'arrayBody'>['where']>,
  mapRecords: MapRecords,
): unknown {
  switch (where) {
    case 'body':
      return [body];
    case 'records':
      return mapRecords(body, (record) => Object.values(record));
    case 'fields':
      return mapRecords(body, (record) =>
        Object.fromEntries(
          Object.entries(record).map(([name, value]) => [name, isJsonObject(value) ? [] : value]),
        ),
      );
  }
}

/** Builds a {@link MapRecords} for bodies that hold records, one or many, in these fields. */
export function mapRecordsIn(
  fields: ReadonlySet<string>,
): (body: JsonBody, change: (record: JsonBody) => unknown) => JsonBody {
  return (body, change) => {
    const changed = (value: unknown) => (isJsonObject(value) ? change(value) : value);
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        if (!fields.has(name)) return [name, value];
        return [name, Array.isArray(value) ? value.map(changed) : changed(value)];
      }),
    );
  };
}

/** Says whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
