import type { ConnectorKind } from '../vocabulary/index.ts';
import { chatWorkspace } from './chat-workspace/index.ts';
import { customerMessaging } from './customer-messaging/index.ts';
import { supportChat } from './support-chat/index.ts';
import { supportTicketing } from './support-ticketing/index.ts';

/** Every connector kind, by its canonical name. */
export const KINDS = {
  'chat-workspace': chatWorkspace,
  'support-chat': supportChat,
  'customer-messaging': customerMessaging,
  'support-ticketing': supportTicketing,
} as const satisfies { readonly [kind: string]: ConnectorKind };

export type Kinds = typeof KINDS;

/** Canonical names of the kinds. */
export type KindName = keyof Kinds;

/** The products' names of the kinds. */
export type KindAlias = Kinds[KindName]['aliases'][number];

/** The kind that a name or alias stands for. */
export type KindNamed<N extends KindName | KindAlias> = {
  [K in KindName]: N extends K | Kinds[K]['aliases'][number] ? K : never;
}[KindName];
