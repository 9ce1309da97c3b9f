import type { ConnectorKind } from '../vocabulary/index.ts';
import { chatWorkspace } from './chat-workspace/index.ts';

/** Every connector kind, by its canonical name. */
export const KINDS = {
  'chat-workspace': chatWorkspace,
} as const satisfies { readonly [kind: string]: ConnectorKind };

export type Kinds = typeof KINDS;

/** Canonical names of the kinds. */
export type KindName = keyof Kinds;
