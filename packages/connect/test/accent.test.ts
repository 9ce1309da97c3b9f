import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assert as assertProperty, integer, property } from 'fast-check';
import { luminanceOf, readAccent } from '../src/accent.ts';

const LEAST_CONTRAST = 4.5;

describe('an accent colour', () => {
  test('has black or white on it, whichever is read better', () => {
    assert.deepEqual(readAccent('#FFE000'), { fill: '#ffe000', text: '#000' });
    assert.deepEqual(readAccent('1a2b6c'), { fill: '#1a2b6c', text: '#fff' });
  });

  test('always leaves enough contrast', () => {
    assertProperty(
      property(integer({ min: 0, max: 0xffffff }), (value) => {
        const digits = value.toString(16).padStart(6, '0');
        const text = readAccent(digits)?.text;
        const luminance = luminanceOf(digits);
        const contrast = text === '#000' ? (luminance + 0.05) / 0.05 : 1.05 / (luminance + 0.05);
        assert.ok(contrast >= LEAST_CONTRAST, `${digits}: ${contrast}`);
      }),
    );
  });

  test('is nothing but six hex digits', () => {
    for (const value of ['', '#fff', 'red', 'url(https://x.example)', '#12345g', null, undefined])
      assert.equal(readAccent(value), undefined, String(value));
  });
});
