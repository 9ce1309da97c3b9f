import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import * as fc from 'fast-check';
import { MAX_CURSOR_LENGTH, openCursor, sealCursor } from './search-cursor.ts';
import { vaultOf } from '../../test/support/vault-of.ts';

const VAULT = vaultOf(new Uint8Array(32).fill(1));
const COPY = { connectorId: 'c1', kind: 'chat-workspace', entity: 'users' };

describe('a sealed cursor', () => {
  test('opens as what it was, for its copy', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        assert.equal(openCursor(VAULT, COPY, sealCursor(VAULT, COPY, cursor)), cursor);
      }),
    );
  });

  test('is refused with any character changed, added or left out', () => {
    const sealed = sealCursor(VAULT, COPY, 'WzIsIjl');
    for (const [place, character] of Array.from(sealed).entries()) {
      const [before, after] = [sealed.slice(0, place), sealed.slice(place + 1)];
      assertRefused(`${before}${after}`);
      assertRefused(`${before}${character}${character}${after}`);
      for (const other of ['A', 'é', '.', String.fromCharCode(character.charCodeAt(0) ^ 1)])
        if (other !== character) assertRefused(`${before}${other}${after}`);
    }
  });

  test('is refused for another connector, another entity and under another key', () => {
    const sealed = sealCursor(VAULT, COPY, 'WzIsIjl');
    assertRefused(sealed, { ...COPY, connectorId: 'c2' });
    assertRefused(sealed, { ...COPY, entity: 'channels' });
    const foreign = sealCursor(vaultOf(new Uint8Array(32).fill(2)), COPY, 'WzIsIjl');
    assertRefused(foreign);
  });

  test('is refused where it is longer than any, even if it is ours', () => {
    const digest = sealCursor(VAULT, COPY, '').length;
    const longest = sealCursor(VAULT, COPY, 'x'.repeat(MAX_CURSOR_LENGTH - digest));
    assert.equal(openCursor(VAULT, COPY, longest).length, MAX_CURSOR_LENGTH - digest);
    assertRefused(sealCursor(VAULT, COPY, 'x'.repeat(MAX_CURSOR_LENGTH - digest + 1)));
  });

  test('is none that is any other text', () => {
    for (const text of ['', '.', '..', 'x', '\0', '💥', '\uD800.\uDC00']) assertRefused(text);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assertRefused(text)));
  });
});

function assertRefused(sealed: string, copy = COPY): void {
  assert.throws(
    () => openCursor(VAULT, copy, sealed),
    (error) => isConnectorError(error, 'invalid_cursor'),
    sealed,
  );
}
