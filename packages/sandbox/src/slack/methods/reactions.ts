import { textArgument } from '../arguments.ts';
import type { SlackReaction } from '../records.ts';
import { SlackError } from '../slack-error.ts';
import { joinedConversationArgument, refuseArchived } from '../slack-method.ts';
import type { SlackMethod } from '../slack-method.ts';
import { parseTimestamp } from '../timestamps.ts';
import { messageArgument } from './chat.ts';

const EMOJI_NAME = /^[\p{L}\p{N}_'+-]{1,100}(?:::skin-tone-[2-6])?$/u;
const MAX_EMOJI_ON_MESSAGE = 50;

/** @see https://docs.slack.dev/reference/methods/reactions.add */
export const reactionsAdd: SlackMethod = {
  tier: 'tier3',
  scopes: 'reactions:write',
  required: ['name'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { workspace, args } = call;
    const timestamp = textArgument(args, 'timestamp') ?? '';
    if ((textArgument(args, 'channel') ?? '') === '' || timestamp === '') {
      throw new SlackError('no_item_specified');
    }
    const name = textArgument(args, 'name') ?? '';
    if (!EMOJI_NAME.test(name)) throw new SlackError('invalid_name');
    if (parseTimestamp(timestamp) === undefined) throw new SlackError('bad_timestamp');
    const conversation = joinedConversationArgument(call);
    refuseArchived(conversation);
    const { message, at } = messageArgument(call, conversation, 'timestamp');
    const reactions = withReaction(message.reactions ?? [], name, workspace.appUserId);
    conversation.timeline.replace(at, { ...message, reactions });
    conversation.markWritten();
    return {};
  },
};

function withReaction(
  reactions: readonly SlackReaction[],
  name: string,
  user: string,
): readonly SlackReaction[] {
  const existing = reactions.find((reaction) => reaction.name === name);
  if (existing === undefined) {
    if (reactions.length >= MAX_EMOJI_ON_MESSAGE) throw new SlackError('too_many_emoji');
    return [...reactions, { name, users: [user], count: 1 }];
  }
  if (existing.users.includes(user)) throw new SlackError('already_reacted');
  const users = [...existing.users, user];
  return reactions.map((reaction) =>
    reaction === existing ? { name, users, count: users.length } : reaction,
  );
}
