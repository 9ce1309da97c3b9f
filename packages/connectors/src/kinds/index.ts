import { chatWorkspace } from './chat-workspace/index.ts';
import { customerMessaging } from './customer-messaging/index.ts';
import { supportChat } from './support-chat/index.ts';
import { supportTicketing } from './support-ticketing/index.ts';

/** The definitions, by the canonical names of the kinds; spelled out so that declarations name them. */
export type Kinds = {
  readonly 'chat-workspace': typeof chatWorkspace;
  readonly 'support-chat': typeof supportChat;
  readonly 'customer-messaging': typeof customerMessaging;
  readonly 'support-ticketing': typeof supportTicketing;
};

/** Every connector kind, by its canonical name. */
export const KINDS: Kinds = {
  'chat-workspace': chatWorkspace,
  'support-chat': supportChat,
  'customer-messaging': customerMessaging,
  'support-ticketing': supportTicketing,
};

/** Canonical names of the kinds. */
export type KindName = keyof Kinds;

/** The products' names of the kinds. */
export type KindAlias = Kinds[KindName]['aliases'][number];

/** The kind that a name or alias stands for. */
export type KindNamed<N extends KindName | KindAlias> = {
  [K in KindName]: N extends K | Kinds[K]['aliases'][number] ? K : never;
}[KindName];
