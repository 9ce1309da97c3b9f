import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ParamDescription } from '../../service/description.ts';
import { inputOf, readParams, textsOf } from './param-values.ts';

const param = (name: string, schema: object, required = false): ParamDescription => ({
  name,
  required,
  doc: '',
  expects: `what ${name} takes`,
  schema,
});

const PARAMS = [
  param('user', { type: 'string' }, true),
  param('limit', { type: 'integer' }),
  param('after', { type: 'string' }),
  param('count', { type: 'boolean' }),
  param('order', { type: 'string', enum: ['asc', 'desc'] }),
  param('query', { type: 'object', properties: {} }),
  param('key', { anyOf: [{ type: 'string' }, { type: 'integer' }] }),
];

describe('the form of an action', () => {
  test('a field is what the schema says', () => {
    assert.deepEqual(
      PARAMS.map((each) => inputOf(each).as),
      ['text', 'integer', 'text', 'boolean', 'choice', 'json', 'text'],
    );
    assert.deepEqual(inputOf(param('sort', { type: 'string', examples: ['id'] })), {
      as: 'text',
      examples: ['id'],
      isPlain: false,
    });
  });

  test('what is empty is absent, and what is typed has the type of its param', () => {
    const texts = {
      user: 'U1',
      limit: ' 20 ',
      after: '""',
      count: 'false',
      order: '',
      query: '{"filter": {}}',
      key: '12',
    };
    const { params, faults } = readParams(PARAMS, texts);
    assert.deepEqual(faults, []);
    assert.deepEqual(params, {
      user: 'U1',
      limit: 20,
      after: '',
      count: false,
      query: { filter: {} },
      key: '12',
    });
    assert.deepEqual(readParams(PARAMS, textsOf(params)).params, params);
  });

  test('all faults are told at once, each at its field', () => {
    const { faults } = readParams(PARAMS, { limit: '1.5', count: 'yes', query: '{' });
    assert.deepEqual(faults, [
      { field: 'params.user', message: 'is required: what user takes' },
      { field: 'params.limit', message: 'must be what limit takes' },
      { field: 'params.count', message: 'must be what count takes' },
      { field: 'params.query', message: 'must be what query takes' },
    ]);
  });

  test('integers that JavaScript cannot hold go out as their digits', () => {
    const { params } = readParams([param('id', { type: 'integer' })], { id: '9007199254740993' });
    assert.deepEqual(params, { id: '9007199254740993' });
  });
});
