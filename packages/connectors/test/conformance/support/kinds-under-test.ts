import assert from 'node:assert/strict';
import { KINDS, type ConnectorKind } from '@patchbay/connectors';
import { KIND_ROWS, type KindRow } from '../kinds.ts';

/** A definition, and what the suite has to be told of it. */
export interface KindUnderTest {
  readonly kind: ConnectorKind;
  readonly row: KindRow;
}

/** Every kind there is. */
export const kindsUnderTest: readonly KindUnderTest[] = Object.values<ConnectorKind>(KINDS).map(
  (kind) => {
    const row = KIND_ROWS[kind.kind];
    assert.ok(row, `test/conformance/kinds.ts has no row for ${kind.kind}`);
    return { kind, row };
  },
);
