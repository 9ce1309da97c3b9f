import { hash32 } from '../../seeded-random.ts';
import { flagArgument, listArgument, textArgument } from '../arguments.ts';
import { countCharacters, cutCharacters } from '../characters.ts';
import type { Conversation } from '../conversation.ts';
import type { SlackMessage } from '../records.ts';
import { appBotProfile, richText } from '../seeded-messages.ts';
import { SlackError } from '../slack-error.ts';
import { conversationArgument, refuseArchived } from '../slack-method.ts';
import type { MethodCall, SlackMethod } from '../slack-method.ts';
import type { PlacedMessage } from '../timeline.ts';
import { parseTimestamp } from '../timestamps.ts';
import type { PostRequest } from '../workspace.ts';

/** Slack cuts a posted text to the first number, and refuses an update longer than the second. */
const MAX_POSTED_CHARACTERS = 40_000;
const MAX_UPDATED_CHARACTERS = 4_000;
const MAX_ATTACHMENTS = 100;
const MAX_BLOCKS = 50;

/** @see https://docs.slack.dev/reference/methods/chat.postMessage */
export const chatPostMessage: SlackMethod = {
  tier: 'posting',
  scopes: 'chat:write',
  required: ['channel'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { workspace, args } = call;
    const content = contentArguments(call);
    if (content === undefined) throw new SlackError('no_text');
    const conversation = destinationArgument(call);
    if (!mayPostTo(conversation, call)) throw new SlackError('not_in_channel');
    refuseArchived(conversation);
    const root = rootArgument(call, conversation);
    const isBroadcast = root !== undefined && flagArgument(args, 'reply_broadcast');
    const { world } = workspace;
    const message: PostRequest['message'] = {
      ...(isBroadcast ? { subtype: 'thread_broadcast' } : {}),
      user: workspace.appUserId,
      bot_id: world.botId,
      app_id: world.appId,
      team: world.teamId,
      bot_profile: appBotProfile(world),
      ...content,
      text: cutCharacters(content.text, MAX_POSTED_CHARACTERS),
      ...(root === undefined ? {} : replyFields(root.message, isBroadcast)),
    };
    const replyTo = root === undefined ? undefined : { rootAt: root.at, isBroadcast };
    const posted = workspace.post(conversation, {
      message,
      ...(replyTo === undefined ? {} : { replyTo }),
    });
    return { channel: conversation.record.id, ts: posted.ts, message: posted };
  },
};

/**
 * On Slack's page, the `message` of the answer has a text and a user only, and no `ts`.
 *
 * @see https://docs.slack.dev/reference/methods/chat.update
 */
export const chatUpdate: SlackMethod = {
  tier: 'tier3',
  scopes: 'chat:write',
  required: ['channel', 'ts'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { workspace, args } = call;
    const conversation = conversationArgument(call);
    refuseArchived(conversation, 'is_inactive');
    const { message, at } = messageArgument(call, conversation, 'ts');
    if (message.bot_id !== workspace.world.botId || message.subtype === 'tombstone') {
      throw new SlackError('cant_update_message');
    }
    const content = contentArguments(call);
    if (content === undefined) throw new SlackError('no_text');
    if (countCharacters(content.text) > MAX_UPDATED_CHARACTERS)
      throw new SlackError('msg_too_long');
    const edited = { user: workspace.appUserId, ts: `${String(workspace.nowSeconds())}.000000` };
    const { blocks: _blocks, ...withoutBlocks } = message;
    conversation.timeline.replace(at, {
      ...(textArgument(args, 'text') === undefined ? message : withoutBlocks),
      ...content,
      edited,
    });
    conversation.markWritten();
    return {
      channel: conversation.record.id,
      ts: message.ts,
      text: content.text,
      message: { text: content.text, user: workspace.appUserId },
    };
  },
};

/**
 * The message that a timestamp argument names.
 *
 * @throws SlackError `message_not_found`.
 */
export function messageArgument(
  { args }: MethodCall,
  conversation: Conversation,
  name: 'ts' | 'timestamp',
): PlacedMessage {
  const at = parseTimestamp(textArgument(args, name) ?? '');
  const placed = at === undefined ? undefined : conversation.timeline.find(at);
  if (placed === undefined) throw new SlackError('message_not_found');
  return placed;
}

type Content = Pick<SlackMessage, 'text' | 'blocks' | 'attachments'>;

/** The content to post; undefined when there is none. Text without blocks becomes a block. */
function contentArguments({ args }: MethodCall): Content | undefined {
  const text = textArgument(args, 'text') ?? textArgument(args, 'markdown_text') ?? '';
  const blocks = listArgument(args, 'blocks', 'invalid_blocks_format');
  const attachments = listArgument(args, 'attachments', 'invalid_attachments');
  if ((blocks?.length ?? 0) > MAX_BLOCKS) throw new SlackError('invalid_blocks');
  if ((attachments?.length ?? 0) > MAX_ATTACHMENTS) throw new SlackError('too_many_attachments');
  const hasBlocks = blocks !== undefined && blocks.length > 0;
  const hasAttachments = attachments !== undefined && attachments.length > 0;
  if (text.trim() === '' && !hasBlocks && !hasAttachments) return undefined;
  return {
    text,
    ...(hasBlocks ? { blocks } : text === '' ? {} : { blocks: [richText(hashOf(text), text)] }),
    ...(hasAttachments
      ? { attachments: attachments.map((given, index) => ({ ...given, id: index + 1 })) }
      : {}),
  };
}

/** Of tokens made by hand, none has the scope that lets an app post to public channels that it is not in. */
function mayPostTo({ isAppMember, kind }: Conversation, { caller }: MethodCall): boolean {
  const scopes = caller.grant?.scopes.split(',') ?? [];
  return isAppMember || (kind === 'public_channel' && scopes.includes('chat:write.public'));
}

/** Where to post: a conversation by id, a channel by name, or the direct message with a user. */
function destinationArgument(call: MethodCall): Conversation {
  const { workspace, args } = call;
  const given = textArgument(args, 'channel') ?? '';
  const userPosition = workspace.userPosition(given);
  if (userPosition !== undefined) {
    if (workspace.isBotAt(userPosition)) throw new SlackError('cannot_dm_bot');
    return workspace.directMessage(userPosition);
  }
  const named = workspace.positionOfName(given.startsWith('#') ? given.slice(1) : given);
  const found =
    named === undefined ? workspace.conversation(given) : workspace.conversationAt(named);
  if (found === undefined) throw new SlackError('channel_not_found');
  return found;
}

function rootArgument({ args }: MethodCall, conversation: Conversation): PlacedMessage | undefined {
  const text = textArgument(args, 'thread_ts');
  if (text === undefined || text === '') return undefined;
  const at = parseTimestamp(text);
  if (at === undefined) throw new SlackError('invalid_thread_ts');
  const named = conversation.timeline.find(at);
  // `thread_ts` may be the timestamp of a reply; it then names the thread that the reply is in.
  const root = named === undefined ? undefined : conversation.timeline.find(named.rootAt);
  if (root === undefined) throw new SlackError('thread_not_found');
  if (root.message.subtype?.startsWith('channel_') === true) {
    throw new SlackError('cannot_reply_to_message');
  }
  return root;
}

function replyFields(root: SlackMessage, isBroadcast: boolean): Partial<SlackMessage> {
  return {
    thread_ts: root.ts,
    ...(root.user === undefined ? {} : { parent_user_id: root.user }),
    ...(isBroadcast ? { root } : {}),
  };
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < Math.min(text.length, 64); index += 1) {
    hash = hash32(hash, text.charCodeAt(index));
  }
  return hash;
}
