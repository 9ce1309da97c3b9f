import { isJsonObject } from '@patchbay/connectors/engine';

type Json = Readonly<Record<string, unknown>>;

/** What members are called tells what they hold, where their schema says no more than "text". */
const BY_NAME: Json = {
  external_user_id: 'user-42',
  client_id: 'CLIENT_ID',
  client_secret: 'CLIENT_SECRET',
  redirect_url: 'https://app.example.com/connected',
  consent_url: 'https://patchbay.example.com/connect/oauth/start?state=STATE',
  connect_url: 'https://patchbay.example.com/connect#SECRET',
  connector_type: 'chat-workspace',
  jsonrpc: '2.0',
  name: 'Support chat',
  token: 'TOKEN',
  access_token: 'TOKEN',
  secret: 'SECRET',
  message: 'What was wrong, and what would work.',
  version: '0.2.0',
};
const BY_FORMAT: Json = {
  uuid: '0199b3a4-7c1e-7d55-9f0a-3b1c5d7e9f01',
  'date-time': '2026-01-01T00:00:00.000Z',
  date: '2026-01-01',
  uri: 'https://app.example.com/',
};
/** One of them is of every pattern that there is. */
const BY_PATTERN = ['1', '2026-01-01T00:00:00Z', '1a56b0', 'a-word', '1767225600.000100'];
/** Below it only what is required is shown: some schemas contain themselves. */
const DEEPEST = 6;

/** Makes examples of schemas that refer to each other. */
export class Examples {
  readonly #schemas: Json;

  /** @param schemas By the names that references use. */
  constructor(schemas: Json) {
    this.#schemas = schemas;
  }

  /**
   * A value of a schema. Of a request it has what is required alone, of an answer all members.
   *
   * @param isWhole Whether members that are not required are in it.
   */
  of(schema: unknown, isWhole: boolean): unknown {
    return this.#of(schema, { isWhole, name: '', depth: 0 });
  }

  /** Where a body has several forms, an example of each by its name. */
  ofEach(schema: unknown, isWhole: boolean): Readonly<Record<string, unknown>> {
    const resolved = this.resolve(schema);
    const forms = resolved['type'] === undefined ? formsOf(resolved) : [];
    if (forms.length < 2) return { example: this.of(resolved, isWhole) };
    return Object.fromEntries(
      forms.map((form, index) => [nameOf(form) ?? `form ${index + 1}`, this.of(form, isWhole)]),
    );
  }

  /** The schema that a reference names; any other as it is. */
  resolve(schema: unknown): Json {
    if (!isJsonObject(schema)) return {};
    const { $ref: reference } = schema;
    return typeof reference === 'string'
      ? this.resolve(this.#schemas[lastWordOf(reference)])
      : schema;
  }

  #of(given: unknown, at: Place): unknown {
    const schema = this.resolve(given);
    const { examples, default: standard, enum: words, 'x-extensible-enum': known } = schema;
    if (Array.isArray(examples) && examples.length > 0) return examples[0];
    if ('const' in schema) return schema['const'];
    if (standard !== undefined) return standard;
    for (const list of [words, known]) if (Array.isArray(list)) return list[0];
    const [form] = formsOf(schema);
    if (form !== undefined && schema['type'] === undefined) return this.#of(form, at);
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, at);
      case 'array':
        if (at.depth >= DEEPEST) return [];
        return [this.#of(schema['items'], { ...at, depth: at.depth + 1 })];
      case 'string':
        return textOf(schema, at.name);
      case 'integer':
      case 'number':
        return schema['minimum'] ?? 1;
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return {};
    }
  }

  #object(schema: Json, at: Place): Json {
    const { properties } = schema;
    if (!isJsonObject(properties)) return {};
    const needed = requiredOf(schema);
    const isWhole = at.isWhole && at.depth < DEEPEST;
    const names = Object.keys(properties).filter((name) => isWhole || needed.has(name));
    return Object.fromEntries(
      names.map((name) => [name, this.#of(properties[name], { ...at, name, depth: at.depth + 1 })]),
    );
  }
}

interface Place {
  readonly isWhole: boolean;
  /** Of the member that the value is. */
  readonly name: string;
  readonly depth: number;
}

/** The schemas that a value may be of, but for null. */
function formsOf({ anyOf, oneOf }: Json): readonly unknown[] {
  const forms: unknown = anyOf ?? oneOf;
  if (!Array.isArray(forms)) return [];
  return forms.filter((form) => !(isJsonObject(form) && form['type'] === 'null'));
}

/** Members that are required, and the first of those of which one is. */
function requiredOf(schema: Json): ReadonlySet<string> {
  const own = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const alternatives = formsOf(schema).slice(0, 1);
  const all: readonly unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  const further = [...alternatives, ...all]
    .filter(isJsonObject)
    .flatMap((each) => [...requiredOf(each)]);
  return new Set([...own, ...further]);
}

function typeOf({ type, properties }: Json): unknown {
  if (Array.isArray(type)) return type.find((each) => each !== 'null');
  return type ?? (properties === undefined ? undefined : 'object');
}

function textOf({ format, pattern }: Json, name: string): unknown {
  const isRight = typeof pattern === 'string' ? new RegExp(pattern) : /^/;
  const candidates = [
    ...(typeof format === 'string' ? [BY_FORMAT[format]] : []),
    BY_NAME[name],
    ...(/(?:^|_)url$/.test(name) ? ['https://app.example.com/'] : []),
    'text',
    ...BY_PATTERN,
  ];
  return candidates.find((each) => typeof each === 'string' && isRight.test(each)) ?? 'text';
}

function nameOf(form: unknown): string | undefined {
  if (!isJsonObject(form)) return undefined;
  const { $ref: reference, title } = form;
  if (typeof reference === 'string') return lastWordOf(reference);
  return typeof title === 'string' ? title : undefined;
}

function lastWordOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
