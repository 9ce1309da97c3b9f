import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { field } from '../vocabulary/index.ts';
import { compileProjection, newDrift, projectValue } from './projection.ts';

const FIELDS = {
  s: field.string('S.'),
  i: field.integer('I.'),
  n: field.number('N.'),
  b: field.boolean('B.'),
  o: field.object('O.'),
  f: field.freeForm('F.'),
  a: field.array('A.'),
  is: field.integers('Is.'),
  si: field.stringOrInteger('SI.'),
  items: field.items('Items.', { s: field.string('S.'), i: field.integer('I.') }),
};
const project = compileProjection(FIELDS);

describe('a projected record', () => {
  test('has the declared keys, in order, and values of their types, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(FIELDS), 'x', 'y'), fc.jsonValue()),
        (raw) => {
          const drift = newDrift();
          const record = project(raw, drift);
          assert.deepEqual(Object.keys(record), Object.keys(FIELDS));
          const { s, i, n, b, o, a, is, si, items } = record;
          assert.ok(s === null || typeof s === 'string');
          assert.ok(i === null || Number.isSafeInteger(i));
          assert.ok(n === null || typeof n === 'number');
          assert.ok(b === null || typeof b === 'boolean');
          assert.ok(o === null || (typeof o === 'object' && !Array.isArray(o)));
          assert.ok(a === null || Array.isArray(a));
          assert.ok(Array.isArray(is) && is.every(Number.isSafeInteger));
          assert.ok(si === null || typeof si === 'string' || Number.isSafeInteger(si));
          assert.ok(items === null || Array.isArray(items));
          const unknown = ['x', 'y'].filter((name) => Object.hasOwn(raw, name));
          // Names are kept up to a limit, the count is whole.
          assert.ok(drift.unknownFields >= unknown.length);
          const isFull = drift.unknownNames.size === 20;
          assert.ok(isFull || unknown.every((name) => drift.unknownNames.has(name)));
        },
      ),
    );
  });

  test('of a projected record is the record: nothing changes twice, nothing drifts', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(FIELDS)), fc.jsonValue()), (raw) => {
        const once = project(raw, newDrift());
        const drift = newDrift();
        assert.deepEqual(project(once, drift), once);
        assert.equal(drift.lostValues + drift.unknownFields, 0);
      }),
    );
  });

  test('gives free-form values as they are, the same object', () => {
    const raw = { o: { x: [1] }, f: [{ y: 1 }], a: [null, { z: 1 }] };
    const record = project(raw, newDrift());
    assert.equal(record['o'], raw.o);
    assert.equal(record['f'], raw.f);
    assert.equal(record['a'], raw.a);
  });

  test('is not touched by names that objects inherit', () => {
    const fields = { constructor: field.string('C.'), value_of: field.string('V.') };
    const raw = JSON.parse('{"__proto__":{"value_of":"x"},"toString":1}') as Record<
      string,
      unknown
    >;
    const drift = newDrift();
    const record = compileProjection(fields)(raw, drift);
    assert.deepEqual({ ...record }, { constructor: null, value_of: null });
    assert.equal(drift.unknownFields, 2);
  });
});

describe('coercion', () => {
  test('of integers and digits loses nothing, both ways', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (integer) => {
        const drift = newDrift();
        const digits = projectValue(FIELDS.s, integer, drift);
        assert.equal(digits, String(integer));
        assert.equal(projectValue(FIELDS.i, digits, drift), integer);
        assert.equal(projectValue(FIELDS.n, digits, drift), integer);
        assert.equal(drift.lostValues, 0);
      }),
    );
  });

  test('of a text to an integer happens only where it gives the same text back', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '9', '-', '.', 'e', ' ') });
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (text) => {
        const drift = newDrift();
        const integer = projectValue(FIELDS.i, text, drift);
        if (integer === null) assert.equal(drift.lostValues, 1);
        else assert.equal(JSON.stringify(integer), text);
      }),
    );
  });

  test('of 0 and 1 to booleans', () => {
    const drift = newDrift();
    assert.deepEqual(
      [0, 1].map((value) => projectValue(FIELDS.b, value, drift)),
      [false, true],
    );
    assert.equal(drift.lostValues, 0);
  });

  test('takes a text out of the object that it is sent in, and as it is', () => {
    const drift = newDrift();
    const avatar = field.stringIn('Picture.', 'image_url');
    const sent = [
      { type: 'avatar', image_url: 'u' },
      'u',
      { image_url: null },
      {},
      null,
      undefined,
    ];
    assert.deepEqual(
      sent.map((value) => projectValue(avatar, value, drift)),
      ['u', 'u', null, null, null, null],
    );
    assert.equal(drift.lostValues, 0);
    assert.equal(projectValue(avatar, { image_url: {} }, drift), null);
    assert.equal(projectValue(avatar, ['u'], drift), null);
    assert.equal(drift.lostValues, 2);
  });

  test('of anything else to a boolean, and of fractions to texts, does not happen', () => {
    for (const value of ['true', '1', 2, -1, 0.5, '', {}, []])
      assert.equal(projectValue(FIELDS.b, value, newDrift()), null);
    for (const value of [1.5, 1e300, true, {}, []])
      assert.equal(projectValue(FIELDS.s, value, newDrift()), null);
  });

  test('drops what is no integer from array<integer>, and counts it', () => {
    const drift = newDrift();
    assert.deepEqual(projectValue(FIELDS.is, [1, '2', 'x', null, 2.5], drift), [1, 2]);
    assert.equal(drift.lostValues, 3);
    assert.deepEqual(projectValue(FIELDS.is, undefined, drift), []);
    assert.deepEqual(projectValue(FIELDS.is, null, drift), []);
    assert.equal(drift.lostValues, 3);
    assert.deepEqual(projectValue(FIELDS.is, 'none', drift), []);
    assert.equal(drift.lostValues, 4);
  });
});
