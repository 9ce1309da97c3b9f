import { isJsonObject } from '@patchbay/connectors/definitions';

/** Names from a field on, each one level deeper. */
export type Path = readonly string[];

/**
 * The paths that the params of a search name, each once, in this order: of the filter, of the sort, of
 * `fields`. Of `any`, the array; what the service would refuse names none.
 *
 * @see docs/search.md#filters
 */
export function namedPaths(params: Readonly<Record<string, unknown>>): readonly Path[] {
  const query = isJsonObject(params['query']) ? params['query'] : {};
  const paths = [
    ...pathsOfFilter(query['filter']),
    ...elementsOf(query['sort']).flatMap(pathsOfOperands),
    ...elementsOf(params['fields']).flatMap(pathOf),
  ];
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/** The value at a path; `undefined` where there is none. */
export function valueAt(record: Readonly<Record<string, unknown>>, path: Path): unknown {
  let value: unknown = record;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

function pathsOfFilter(filter: unknown): readonly Path[] {
  if (!isJsonObject(filter)) return [];
  return Object.entries(filter).flatMap(([operator, operands]) => {
    switch (operator) {
      case 'and':
      case 'or':
        return elementsOf(operands).flatMap(pathsOfFilter);
      case 'not':
        return pathsOfFilter(operands);
      default:
        return pathsOfOperands(operands);
    }
  });
}

/** Of `{"real_name": …}`, or of `[{"path": ["real_name"], "value": …}]`. */
function pathsOfOperands(operands: unknown): readonly Path[] {
  if (isJsonObject(operands)) return Object.keys(operands).flatMap(pathOf);
  return elementsOf(operands).flatMap((each) => (isJsonObject(each) ? pathOf(each['path']) : []));
}

/** A path as it is written: dotted, or an array of names. */
function pathOf(written: unknown): readonly Path[] {
  if (typeof written === 'string') return [written.split('.')];
  const names = elementsOf(written).filter((name) => typeof name === 'string');
  return names.length === 0 ? [] : [names];
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
