import { quote } from '../json-value.ts';
import type { Fault } from '../errors.ts';
import { MAX_SEGMENTS } from '../input-bounds.ts';
import { pathThatEndsWith } from '../member-paths.ts';
import { nearestName } from '../nearest-name.ts';
import type { FieldPath } from './filter.ts';
import type { SearchSchema } from './search-schema.ts';
import { wellFormedText } from './storable-values.ts';

/** The segments that a dotted path stands for; of one too long, one more than it may have. */
export function segmentsOf(dotted: string): readonly string[] {
  return wellFormedText(dotted).split('.', MAX_SEGMENTS + 1);
}

/** A path as `fields` and conditions take it: dotted, or its segments, where a name has a dot in it. */
export function checkSegments(given: unknown, at: string): readonly string[] | Fault {
  if (typeof given === 'string') return segmentsOf(given);
  const allowed = PATH_EXPECTED;
  if (!Array.isArray(given) || given.length === 0)
    return {
      field: at,
      errorCode: 'wrong_type',
      message: `must be ${allowed}, got ${Array.isArray(given) ? 'an empty array' : quote(given)}`,
      allowed,
    };
  const wrong = given.findIndex((segment) => typeof segment !== 'string');
  if (wrong !== -1) {
    const message = `must be a string, got ${quote(given[wrong])}`;
    return { field: `${at}.${wrong}`, errorCode: 'wrong_type', message, allowed: 'a string' };
  }
  return given.map((segment) => wellFormedText(String(segment)));
}

/** What `checkSegments` takes, as it completes the sentence "must be …". */
export const PATH_EXPECTED = 'a dotted path, or an array of path segments, at least one';

/** A path below an object field or inside an element of an array, where no name is unknown. */
export function openPath(segments: readonly string[], at: string): FieldPath | Fault {
  return tooLong(segments, at) ?? { segments, type: undefined };
}

/**
 * Looks up a path that starts with a searchable field. Below an object field nothing is unknown.
 *
 * @param at Where the path stands in the params, for the fault.
 */
export function findField(
  schema: SearchSchema,
  segments: readonly string[],
  at: string,
): FieldPath | Fault {
  const excess = tooLong(segments, at);
  if (excess !== undefined) return excess;
  const [name = '', ...below] = segments;
  const field = schema.byName.get(name);
  if (field === undefined) return unknownField(schema, segments, at);
  if (below.length === 0) return { segments, type: field.type };
  if (field.type === 'object') return openPath(segments, at);
  const isArray = field.type === 'array';
  return {
    field: at,
    errorCode: 'unknown',
    message: isArray
      ? `is a path into the array "${name}": use the operator any, or "${name}" as a whole`
      : `is a path below "${name}", whose type is ${field.type}: only object fields have any`,
    allowed: namesIn(schema, ({ type }) => type === 'object') || 'no paths',
    didYouMean: name,
  };
}

/** Names of searchable fields, for people. */
export function namesIn(
  schema: SearchSchema,
  isMeant: (field: SearchSchema['fields'][number]) => boolean = () => true,
): string {
  return schema.fields
    .filter(isMeant)
    .map(({ name }) => name)
    .join(', ');
}

function tooLong(segments: readonly string[], at: string): Fault | undefined {
  if (segments.length <= MAX_SEGMENTS) return undefined;
  const allowed = `at most ${MAX_SEGMENTS} segments`;
  const message = `must have ${allowed}, got more`;
  return { field: at, errorCode: 'out_of_range', message, allowed };
}

function unknownField(schema: SearchSchema, segments: readonly string[], at: string): Fault {
  const [name = '', ...below] = segments;
  const allowed = namesIn(schema);
  const nearestField = nearestName(name, schema.byName.keys());
  const nearest =
    pathThatEndsWith(schema.memberPaths, segments) ??
    (nearestField === undefined ? undefined : [nearestField, ...below].join('.'));
  const hint =
    nearest === undefined ? `; allowed: ${allowed}` : `; did you mean ${quote(nearest)}?`;
  return {
    field: at,
    errorCode: 'unknown',
    message: `is no searchable field of ${schema.entity}${hint}`,
    allowed,
    ...(nearest === undefined ? {} : { didYouMean: nearest }),
  };
}
