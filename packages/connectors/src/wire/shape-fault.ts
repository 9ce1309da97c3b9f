import { IsDate, IsDateTime, IsUri, IsUuid } from 'typebox/format';

/** The words of JSON Schema that the shapes of the wire are made of; those that judge nothing are left out. */
interface Words {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly object[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly patternProperties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

/** Where a value departs from a schema: a JSON pointer, a space, and how. */
type ShapeFault = string | undefined;

const IS_OF_FORMAT: Readonly<Record<string, (text: string) => boolean>> = {
  date: IsDate,
  'date-time': IsDateTime,
  uri: IsUri,
  uuid: IsUuid,
};

/**
 * Where a value first departs from a schema of this folder, and how; `undefined` where it does not. It knows the few
 * words that these schemas use and no others, so that a page of a browser need not load a checker for all of them.
 */
export function faultIn(schema: object, value: unknown, at = ''): ShapeFault {
  const words: Words = schema;
  const fault = ownFault(words, value);
  if (fault !== undefined) return `${at} ${fault}`;
  if (Array.isArray(value)) return elementFault(words, value, at);
  return isJsonObject(value) ? memberFault(words, value, at) : undefined;
}

/** Of the value itself, whatever it holds. */
function ownFault(words: Words, value: unknown): ShapeFault {
  const types = typeof words.type === 'string' ? [words.type] : words.type;
  if (types?.some((type) => isOfType(type, value)) === false)
    return `must be ${types.join(' or ')}`;
  if (words.const !== undefined && value !== words.const) return 'must be equal to constant';
  if (words.enum?.includes(value) === false) return 'must be equal to one of the allowed values';
  if (words.anyOf?.every((each) => faultIn(each, value) !== undefined) === true)
    return 'must match a schema in anyOf';
  if (typeof value === 'number') return numberFault(words, value);
  return typeof value === 'string' ? formatFault(words, value) : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return isJsonObject(value);
    default:
      return typeof value === type;
  }
}

function isJsonObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberFault(
  { minimum = -Infinity, maximum = Infinity }: Words,
  value: number,
): ShapeFault {
  if (value < minimum) return `must be >= ${minimum}`;
  return value > maximum ? `must be <= ${maximum}` : undefined;
}

function formatFault({ format }: Words, text: string): ShapeFault {
  const isRight = format === undefined || IS_OF_FORMAT[format]?.(text) !== false;
  return isRight ? undefined : `must match format "${format}"`;
}

function elementFault({ items }: Words, values: readonly unknown[], at: string): ShapeFault {
  if (items === undefined) return undefined;
  for (const [index, value] of values.entries()) {
    const fault = faultIn(items, value, `${at}/${index}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function memberFault(words: Words, value: Members, at: string): ShapeFault {
  const { required = [] } = words;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) return `${at} must have required properties ${missing.join(', ')}`;
  for (const [name, member] of Object.entries(value))
    for (const schema of schemasOf(words, name)) {
      const fault = faultIn(schema, member, `${at}/${pointerPart(name)}`);
      if (fault !== undefined) return fault;
    }
  return undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Every schema that a member has to satisfy; none where nothing is said of it. */
function schemasOf({ properties = {}, patternProperties = {} }: Words, name: string) {
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const others = Object.entries(patternProperties)
    .filter(([pattern]) => new RegExp(pattern, 'u').test(name))
    .map(([, schema]) => schema);
  return own === undefined ? others : [own, ...others];
}

/** @see https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
