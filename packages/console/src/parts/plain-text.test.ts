import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from './plain-text.ts';

test('what would turn or end a text is written out, everything else stays', () => {
  const shown: Readonly<Record<string, string>> = {
    '\u202eecila': String.raw`\u202eecila`,
    'a\u2066b\u2069': String.raw`a\u2066b\u2069`,
    'a\nb\u0000\u007f\u009f\u2028': String.raw`a\u000ab\u0000\u007f\u009f\u2028`,
    'Équipe de Zoë': 'Équipe de Zoë',
    'فريق \u200fالدعم': 'فريق \u200fالدعم',
    '👩\u200d💻': '👩\u200d💻',
  };
  for (const [text, plain] of Object.entries(shown)) assert.equal(plainText(text), plain);
});
