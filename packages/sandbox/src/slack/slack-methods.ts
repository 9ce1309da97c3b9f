import { authTest } from './methods/auth.ts';
import { chatPostMessage, chatUpdate } from './methods/chat.ts';
import {
  conversationsCreate,
  conversationsInfo,
  conversationsJoin,
  conversationsList,
  conversationsMembers,
  conversationsRename,
  conversationsSetPurpose,
  conversationsSetTopic,
} from './methods/conversations.ts';
import { conversationsHistory, conversationsReplies } from './methods/messages.ts';
import { authRevoke, oauthV2Access } from './methods/oauth.ts';
import { reactionsAdd } from './methods/reactions.ts';
import { usersInfo, usersList } from './methods/users.ts';
import type { SlackMethod } from './slack-method.ts';

/** Every method that is simulated, by the name in its path. */
export const SLACK_METHODS: ReadonlyMap<string, SlackMethod> = new Map([
  ['auth.revoke', authRevoke],
  ['auth.test', authTest],
  ['chat.postMessage', chatPostMessage],
  ['chat.update', chatUpdate],
  ['conversations.create', conversationsCreate],
  ['conversations.history', conversationsHistory],
  ['conversations.info', conversationsInfo],
  ['conversations.join', conversationsJoin],
  ['conversations.list', conversationsList],
  ['conversations.members', conversationsMembers],
  ['conversations.rename', conversationsRename],
  ['conversations.replies', conversationsReplies],
  ['conversations.setPurpose', conversationsSetPurpose],
  ['conversations.setTopic', conversationsSetTopic],
  ['oauth.v2.access', oauthV2Access],
  ['reactions.add', reactionsAdd],
  ['users.info', usersInfo],
  ['users.list', usersList],
]);

/** The scopes that every token made by hand has, as in `x-oauth-scopes`. */
export const GRANTED_SCOPES = [
  ...new Set([...SLACK_METHODS.values()].flatMap(({ scopes }) => scopes.split(','))),
]
  .filter((scope) => scope !== '')
  .join(',');
