import { flagArgument, limitArgument, textArgument } from '../arguments.ts';
import { checkChannelName } from '../channel-names.ts';
import { countCharacters } from '../characters.ts';
import type { Conversation } from '../conversation.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import type { SlackChannel, SlackConversation, SlackMessage } from '../records.ts';
import { SlackError } from '../slack-error.ts';
import {
  conversationArgument,
  joinedConversationArgument,
  refuseArchived,
} from '../slack-method.ts';
import type { MethodCall, SlackMethod } from '../slack-method.ts';
import { CONVERSATION_KINDS } from '../world.ts';
import type { ConversationKind } from '../world.ts';

const DEFAULT_LIMIT = 100;
/** Slack's page on `conversations.list` says under 1,000. */
const MAX_CONVERSATIONS = 999;
const MAX_HEADLINE_CHARACTERS = 250;

const READS = 'channels:read,groups:read,mpim:read,im:read';
const WRITES = 'channels:manage,groups:write,mpim:write,im:write';

/** @see https://docs.slack.dev/reference/methods/conversations.list */
export const conversationsList: SlackMethod = {
  tier: 'tier2',
  scopes: READS,
  required: [],
  writes: false,
  pages: true,
  takesJson: false,
  run: (call) => {
    const { workspace, args } = call;
    const kinds = kindsArgument(call);
    const limit = limitArgument(args, MAX_CONVERSATIONS) ?? DEFAULT_LIMIT;
    const page = workspace.conversationPage(kinds, listStart(call), limit);
    const found = page.positions
      .map((position) => workspace.conversationAt(position))
      .filter((conversation) => conversation !== undefined);
    // Archived channels are removed after the page is cut, so it may hold fewer records, or none.
    const shown = flagArgument(args, 'exclude_archived')
      ? found.filter((conversation) => !conversation.record.is_archived)
      : found;
    return {
      channels: shown.map(listed),
      response_metadata: { next_cursor: listCursor(call, page.next) },
    };
  },
  disturb: ({ workspace }, change, nextCursor) => {
    const target = workspace.conversation(decodeCursor('team', nextCursor) ?? '');
    if (change === 'insert') {
      const name = `made-while-paging-${String(workspace.conversationCount)}`;
      workspace.createChannel({ name, isPrivate: false });
    }
    if (target === undefined) return;
    if (change === 'delete') workspace.removeConversation(target);
    if (change === 'update' && !target.record.is_im) {
      target.change(
        headline('topic', 'Changed while paging', {
          creator: 'USLACKBOT',
          last_set: workspace.nowSeconds(),
        }),
      );
    }
  },
};

/** @see https://docs.slack.dev/reference/methods/conversations.info */
export const conversationsInfo: SlackMethod = {
  tier: 'tier3',
  scopes: READS,
  required: ['channel'],
  writes: false,
  pages: false,
  takesJson: false,
  run: (call) => {
    const conversation = conversationArgument(call);
    const { args } = call;
    return {
      channel: {
        ...conversation.record,
        ...(conversation.isAppMember ? { last_read: '0000000000.000000' } : {}),
        ...(flagArgument(args, 'include_locale') ? { locale: 'en-US' } : {}),
        ...(flagArgument(args, 'include_num_members')
          ? { num_members: conversation.memberCount }
          : {}),
      },
    };
  },
};

/** @see https://docs.slack.dev/reference/methods/conversations.create */
export const conversationsCreate: SlackMethod = {
  tier: 'tier2',
  scopes: WRITES,
  required: ['name'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { workspace, args } = call;
    const name = textArgument(args, 'name') ?? '';
    checkChannelName(name);
    if (workspace.positionOfName(name) !== undefined) throw new SlackError('name_taken');
    const isPrivate = flagArgument(args, 'is_private');
    const created = workspace.createChannel({ name, isPrivate });
    postNote(call, created, { subtype: 'channel_join', what: 'has joined the channel' });
    return {
      channel: { ...created.record, last_read: '0000000000.000000', priority: 0 },
    };
  },
};

/** @see https://docs.slack.dev/reference/methods/conversations.rename */
export const conversationsRename: SlackMethod = {
  tier: 'tier2',
  scopes: WRITES,
  required: ['channel', 'name'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { workspace, args } = call;
    const conversation = namedChannelArgument(call);
    const name = textArgument(args, 'name') ?? '';
    const { is_general: isGeneral, name: oldName } = conversation.channel;
    if (isGeneral) throw new SlackError('not_authorized');
    checkChannelName(name);
    const owner = workspace.positionOfName(name);
    if (owner !== undefined && owner !== conversation.position) throw new SlackError('name_taken');
    if (name !== oldName) {
      workspace.renameChannel(conversation, name);
      const text = `has renamed the channel from "${oldName}" to "${name}"`;
      const fields = { old_name: oldName, name };
      postNote(call, conversation, { subtype: 'channel_name', what: text, fields });
    }
    return { channel: conversation.record };
  },
};

/** @see https://docs.slack.dev/reference/methods/conversations.join */
export const conversationsJoin: SlackMethod = {
  tier: 'tier3',
  scopes: 'channels:join',
  required: ['channel'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const conversation = conversationArgument(call);
    if (conversation.kind !== 'public_channel') {
      throw new SlackError('method_not_supported_for_channel_type');
    }
    refuseArchived(conversation);
    if (conversation.isAppMember) {
      return {
        channel: conversation.record,
        warning: 'already_in_channel',
        response_metadata: { warnings: ['already_in_channel'] },
      };
    }
    conversation.change({ is_member: true });
    postNote(call, conversation, { subtype: 'channel_join', what: 'has joined the channel' });
    return { channel: conversation.record };
  },
};

/** @see https://docs.slack.dev/reference/methods/conversations.members */
export const conversationsMembers: SlackMethod = {
  tier: 'tier4',
  scopes: READS,
  required: ['channel'],
  writes: false,
  pages: true,
  takesJson: false,
  run: (call) => {
    const conversation = conversationArgument(call);
    const limit = limitArgument(call.args) ?? DEFAULT_LIMIT;
    const target = decodeCursor('user', textArgument(call.args, 'cursor'));
    const start = target === undefined ? 0 : conversation.memberIndexOf(target);
    if (start === undefined) throw new SlackError('invalid_cursor');
    const members = Array.from({ length: limit }, (_, nth) =>
      conversation.memberId(start + nth),
    ).filter((id) => id !== undefined);
    const next = conversation.memberId(start + limit);
    const nextCursor = next === undefined ? '' : encodeCursor('user', next);
    return { members, response_metadata: { next_cursor: nextCursor } };
  },
};

/**
 * Slack's page shows the whole channel as the answer; older answers held the topic alone.
 *
 * @see https://docs.slack.dev/reference/methods/conversations.setTopic
 */
export const conversationsSetTopic: SlackMethod = {
  tier: 'tier2',
  scopes: WRITES,
  required: ['channel', 'topic'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { conversation, value } = setHeadline(call, 'topic');
    return call.isBare ? { topic: value } : { channel: conversation.record };
  },
};

/**
 * As for the topic; the older answer, of the purpose alone, still stands on Slack's page.
 *
 * @see https://docs.slack.dev/reference/methods/conversations.setPurpose
 */
export const conversationsSetPurpose: SlackMethod = {
  tier: 'tier2',
  scopes: WRITES,
  required: ['channel', 'purpose'],
  writes: true,
  pages: false,
  takesJson: true,
  run: (call) => {
    const { conversation, value } = setHeadline(call, 'purpose');
    return call.isBare ? { purpose: value } : { channel: conversation.record };
  },
};

function setHeadline(
  call: MethodCall,
  field: 'topic' | 'purpose',
): { readonly conversation: Conversation; readonly value: string } {
  const { workspace, args } = call;
  const conversation = joinedConversationArgument(call);
  const { channel } = conversation;
  refuseArchived(conversation);
  const value = textArgument(args, field) ?? '';
  if (countCharacters(value) > MAX_HEADLINE_CHARACTERS) throw new SlackError('too_long');
  if (channel[field].value !== value) {
    conversation.change(
      headline(field, value, { creator: workspace.appUserId, last_set: workspace.nowSeconds() }),
    );
    const label = field === 'topic' ? 'topic' : 'description';
    const text = value === '' ? `cleared channel ${label}` : `set the channel ${label}: ${value}`;
    const fields = { [field]: value };
    postNote(call, conversation, { subtype: `channel_${field}`, what: text, fields });
  }
  return { conversation, value };
}

function headline(
  field: 'topic' | 'purpose',
  value: string,
  by: { readonly creator: string; readonly last_set: number },
): Partial<SlackChannel> {
  return { [field]: { value, ...by }, updated: by.last_set * 1_000 };
}

/** Posts the note that Slack itself puts into a channel when something about it changes. */
function postNote(
  { workspace }: MethodCall,
  conversation: Conversation,
  note: {
    readonly subtype: string;
    readonly what: string;
    readonly fields?: Partial<SlackMessage>;
  },
): void {
  const { subtype, what, fields } = note;
  const user = workspace.appUserId;
  workspace.post(conversation, {
    message: { ...fields, subtype, user, text: `<@${user}> ${what}` },
  });
}

function namedChannelArgument(call: MethodCall): Conversation {
  const conversation = conversationArgument(call);
  if (conversation.kind === 'im' || conversation.kind === 'mpim') {
    throw new SlackError('method_not_supported_for_channel_type');
  }
  if (!conversation.isAppMember) throw new SlackError('not_in_channel');
  refuseArchived(conversation);
  return conversation;
}

function kindsArgument({ args }: MethodCall): ReadonlySet<ConversationKind> {
  const text = textArgument(args, 'types');
  if (text === undefined || text === '') return new Set(['public_channel']);
  const names = text.split(',').map((name) => name.trim());
  return new Set(
    names.map((name) => {
      const kind = CONVERSATION_KINDS.find((known) => known === name);
      if (kind === undefined) throw new SlackError('invalid_types');
      return kind;
    }),
  );
}

function listStart({ workspace, args }: MethodCall): number {
  const target = decodeCursor('team', textArgument(args, 'cursor'));
  if (target === undefined) return 0;
  // The conversation in a cursor may have been removed since; its position is still the start.
  const position = workspace.world.conversationPosition(target);
  if (position === undefined || position >= workspace.conversationCount) {
    throw new SlackError('invalid_cursor');
  }
  return position;
}

function listCursor({ workspace }: MethodCall, next: number | undefined): string {
  const id = next === undefined ? undefined : workspace.conversationAt(next)?.record.id;
  return id === undefined ? '' : encodeCursor('team', id);
}

function listed(conversation: Conversation): SlackConversation & { readonly num_members?: number } {
  const { record } = conversation;
  return record.is_im ? record : { ...record, num_members: conversation.memberCount };
}
