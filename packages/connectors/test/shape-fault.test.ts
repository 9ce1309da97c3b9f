import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import * as wire from '@patchbay/connectors/wire';
import { faultIn } from '../src/wire/shape-fault.ts';

const { PROBLEM_DETAILS, ...others } = wire;
const SCHEMAS = Object.entries<unknown>({ ...PROBLEM_DETAILS, ...others }).filter(
  (entry): entry is [string, TSchema & object] => typeof entry[1] === 'object',
);
/** The first four say nothing of a value. */
const KNOWN = new Set(
  [
    'description x-extensible-enum x-added-later additionalProperties',
    'type const enum anyOf required properties patternProperties items minimum maximum format',
  ].flatMap((words) => words.split(' ')),
);

describe('what a shape is checked by', () => {
  test('agrees with a checker of all of JSON Schema, on values that are nearly right', () => {
    for (const [name, schema] of SCHEMAS)
      fc.assert(
        fc.property(arbitraryNear(schema), (value) => {
          const fault = faultIn(schema, value);
          assert.equal(fault === undefined, Check(schema, value), `${name}: ${String(fault)}`);
        }),
        { numRuns: 60 },
      );
  });

  test('knows every word that the shapes of the wire are made of', () => {
    for (const [name, schema] of SCHEMAS)
      for (const word of wordsIn(schema)) assert.ok(KNOWN.has(word), `${word} in ${name}`);
  });

  test('says where, in the words of a JSON pointer', () => {
    const schema = {
      type: 'object',
      properties: { 'a/b~': { type: 'array', items: { type: 'integer', minimum: 1 } } },
    };
    assert.equal(faultIn(schema, { 'a/b~': [1, 0] }), '/a~1b~0/1 must be >= 1');
    assert.equal(faultIn(schema, []), ' must be object');
  });
});

const NOT_QUITE = fc.constantFrom<unknown>(null, '', 'x', -1, 0, 1.5, 1_000, true, [], {}, [null]);

/** Values of the schema, of which any part may be something else instead. */
function arbitraryNear(schema: object): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: arbitraryOf(schema), weight: 30 },
    { arbitrary: NOT_QUITE, weight: 1 },
  );
}

interface Words {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly object[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly patternProperties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly format?: string;
}

function arbitraryOf(schema: Words): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitraryNear));
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types === undefined) return NOT_QUITE;
  return fc.oneof(...types.map((type) => arbitraryOfType(type, schema)));
}

function arbitraryOfType(type: string, schema: Words): fc.Arbitrary<unknown> {
  switch (type) {
    case 'array':
      return fc.array(arbitraryNear(schema.items ?? {}), { maxLength: 3 });
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: -1, max: 700 });
    case 'null':
      return fc.constant(null);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'object':
      return arbitraryObject(schema);
    default:
      return schema.format === undefined ? fc.string() : FORMATTED;
  }
}

function arbitraryObject({ properties = {}, patternProperties }: Words): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(
    ([name, schema]) => [name, arbitraryNear(schema)] as const,
  );
  const ofPattern = Object.values(patternProperties ?? {}).map((schema) =>
    fc.dictionary(fc.string(), arbitraryNear(schema), { maxKeys: 3 }),
  );
  // Once in a while one is missing.
  const noneMissing = { arbitrary: fc.record(Object.fromEntries(members)), weight: 10 };
  const someMissing = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  return fc.oneof(noneMissing, { arbitrary: someMissing, weight: 1 }, ...ofPattern);
}

const FORMATTED = fc.oneof(
  fc.uuid(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-02-30', '2026-02-28', 'https://a.example/b', 'no uri', ''),
);

function wordsIn(schema: object): readonly string[] {
  const { properties = {}, patternProperties = {}, items, anyOf = [] }: Words = schema;
  const below = [
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...(items === undefined ? [] : [items]),
    ...anyOf,
  ];
  return [...Object.keys(schema), ...below.flatMap(wordsIn)];
}
