import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FieldSpec, ValueSchema } from '../src/parts/values/field-spec.ts';
import { readValue } from '../src/parts/values/read-value.ts';
import { matchPath } from '../src/routing/match-path.ts';

const EXPECTS = 'what it has to be';

describe('what is entered in a field', () => {
  const cases: readonly (readonly [ValueSchema, string, unknown])[] = [
    [{ type: 'string' }, ' text ', 'text'],
    [{ type: 'string' }, '12', '12'],
    [{ type: 'string', enum: ['us', 'eu'] }, 'eu', 'eu'],
    [{ type: 'string', pattern: '^\\p{Ll}+$', maxLength: 2 }, 'äö', 'äö'],
    [{ type: 'string', maxLength: 1 }, '🦦', '🦦'],
    [{ type: 'integer', minimum: 1, maximum: 3 }, '3', 3],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'object' }, '{"a": [1]}', { a: [1] }],
    [{ type: 'array' }, '[]', []],
    [{}, '7', '7'],
  ];
  for (const [schema, text, value] of cases)
    test(`${JSON.stringify(schema)} takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readValue(specOf(schema), text), { is: 'value', value });
    });

  const wrong: readonly (readonly [ValueSchema, string])[] = [
    [{ type: 'string', enum: ['us', 'eu'] }, 'au'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'A'],
    [{ type: 'string', minLength: 2 }, 'a'],
    [{ type: 'integer' }, '1.5'],
    [{ type: 'integer' }, 'one'],
    [{ type: 'integer', maximum: 3 }, '4'],
    [{ type: 'boolean' }, 'yes'],
    [{ type: 'object' }, '[]'],
    [{ type: 'object' }, 'null'],
    [{ type: 'array' }, '{}'],
  ];
  for (const [schema, text] of wrong)
    test(`${JSON.stringify(schema)} refuses ${JSON.stringify(text)}`, () => {
      const fault = { is: 'fault', fault: `must be ${EXPECTS}` };
      assert.deepEqual(readValue(specOf(schema), text), fault);
    });

  test('nothing is absent, or a fault where something is required', () => {
    const spec = specOf({ type: 'string' });
    assert.deepEqual(readValue(spec, '  '), { is: 'absent' });
    const fault = { is: 'fault', fault: 'is required' };
    assert.deepEqual(readValue({ ...spec, required: true }, ''), fault);
  });
});

test('a path is of a pattern, with its parts, or of none', () => {
  const cases = [
    ['/', '/', {}],
    ['/connectors/:id/:tab?', '/connectors/7', { id: '7' }],
    ['/connectors/:id/:tab?', '/connectors/7/records', { id: '7', tab: 'records' }],
    ['/connectors/:id/:tab?', '/connectors', undefined],
    ['/connectors/:id/:tab?', '/connectors/7/records/more', undefined],
    ['/new', '/newer', undefined],
    ['/new', '/', undefined],
  ] as const;
  for (const [pattern, path, params] of cases)
    assert.deepEqual(matchPath(pattern, path), params, `${pattern} ${path}`);
});

function specOf(schema: ValueSchema): FieldSpec {
  return { path: 'params.x', name: 'x', doc: '', required: false, expects: EXPECTS, schema };
}
