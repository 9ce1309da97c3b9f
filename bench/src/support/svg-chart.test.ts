import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drawing, inWords, label, linearScale, logScale } from './svg-chart.ts';

const ACROSS = { from: 100, to: 400 };

describe('a scale of powers of ten', () => {
  const scale = logScale([0.4, 3, 250], ACROSS);

  test('reaches from the power below the least value to the one above the greatest', () => {
    assert.deepEqual(scale.ticks, [0.1, 1, 10, 100, 1_000]);
    assert.deepEqual([scale.place(0.1), scale.place(1_000)], [100, 400]);
  });

  test('has the same distance between powers of ten', () => {
    assert.deepEqual([1, 10, 100].map(scale.place), [175, 250, 325]);
  });

  test('has its end where a value is 0, and two powers at least', () => {
    assert.equal(logScale([0, 5], ACROSS).place(0), 100);
    assert.deepEqual(logScale([10], ACROSS).ticks, [10, 100]);
  });

  test('may go up as well as across', () => {
    const up = logScale([1, 100], { from: 300, to: 100 });
    assert.deepEqual([1, 10, 100].map(up.place), [300, 200, 100]);
  });
});

test('a linear scale begins with 0 and ends with the greatest value', () => {
  const scale = linearScale([10, 20, 40], ACROSS);
  assert.deepEqual([0, 10, 40].map(scale.place), [100, 175, 400]);
});

test('texts are escaped, and a drawing says what it is', () => {
  const svg = drawing({ width: 10, height: 10, title: 'p50 < p99 & "more"' }, [
    label('a < b', { x: 1, y: 2.26 }),
  ]);
  assert.match(svg, /^<svg [^>]+>\n<title>p50 &lt; p99 &amp; &quot;more&quot;<\/title>/);
  assert.match(svg, /<text x="1" y="2.3"[^>]*>a &lt; b<\/text>/);
});

test('numbers at an axis are short', () => {
  assert.deepEqual([0.1, 0.03, 1, 1_000].map(inWords), ['0.1', '0.03', '1', '1,000']);
});
