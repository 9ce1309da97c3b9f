import { flagArgument, limitArgument, textArgument } from '../arguments.ts';
import type { Conversation } from '../conversation.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import type { SlackMessage } from '../records.ts';
import { SlackError } from '../slack-error.ts';
import { conversationArgument, joinedConversationArgument } from '../slack-method.ts';
import type { MethodCall, PagingChange, SlackMethod } from '../slack-method.ts';
import type { PlacedMessage, TimeWindow } from '../timeline.ts';
import { parseMicrosDigits, parseTimestamp } from '../timestamps.ts';
import type { Micros } from '../timestamps.ts';

/** What Slack's pages on the two methods say; on `conversations.replies` of its default only. */
const HISTORY_LIMITS = { usual: 100, most: 999 };
const REPLIES_LIMITS = { usual: 1_000, most: 1_000 };
const HISTORY_SCOPES = 'channels:history,groups:history,mpim:history,im:history';

/** @see https://docs.slack.dev/reference/methods/conversations.history */
export const conversationsHistory: SlackMethod = {
  tier: 'messages',
  scopes: HISTORY_SCOPES,
  required: ['channel'],
  writes: false,
  pages: true,
  takesJson: false,
  run: (call) => {
    const { timeline } = joinedConversationArgument(call);
    const limit = pageSize(call, HISTORY_LIMITS);
    const asked = windowArgument(call);
    const to = Math.min(asked.to, cursorTime(call) ?? asked.to);
    const found = timeline.newestFirst({ from: asked.from, to }, limit + 1);
    return {
      ...(textArgument(call.args, 'latest') === undefined
        ? {}
        : { latest: textArgument(call.args, 'latest') }),
      ...(textArgument(call.args, 'oldest') === undefined
        ? {}
        : { oldest: textArgument(call.args, 'oldest') }),
      ...messagePage(found, limit),
      pin_count: 0,
      channel_actions_ts: null,
      channel_actions_count: 0,
    };
  },
  disturb: (call, change, nextCursor) => {
    const conversation = conversationArgument(call);
    disturbMessages(call.workspace.nowSeconds(), { conversation, change, nextCursor });
    if (change !== 'insert') return;
    const user = conversation.memberId(0) ?? call.workspace.appUserId;
    call.workspace.post(conversation, { message: { user, text: 'Posted while paging' } });
  },
};

/**
 * The message that started the thread comes first on every page, also when it lies outside the time
 * window; a `ts` of a reply gives that reply alone, as Slack does. On pages after the first one it does not
 * count towards the limit.
 *
 * @see https://docs.slack.dev/reference/methods/conversations.replies
 */
export const conversationsReplies: SlackMethod = {
  tier: 'messages',
  scopes: HISTORY_SCOPES,
  required: ['channel', 'ts'],
  writes: false,
  pages: true,
  takesJson: false,
  run: (call) => {
    const { timeline } = joinedConversationArgument(call);
    const first = threadArgument(call);
    const limit = pageSize(call, REPLIES_LIMITS);
    if (first.at !== first.rootAt) return messagePage([first], limit);
    const asked = windowArgument(call);
    const cursorAt = cursorTime(call);
    const from = Math.max(asked.from, cursorAt ?? asked.from);
    const replies = timeline.repliesOldestFirst(first.at, { from, to: asked.to }, limit + 1);
    if (cursorAt === undefined) return messagePage([first, ...replies], limit);
    const page = messagePage(replies, limit);
    return { ...page, messages: [first.message, ...page.messages] };
  },
  disturb: (call, change, nextCursor) => {
    const conversation = conversationArgument(call);
    disturbMessages(call.workspace.nowSeconds(), { conversation, change, nextCursor });
    if (change !== 'insert') return;
    const { message, rootAt } = threadArgument(call);
    const user = conversation.memberId(0) ?? call.workspace.appUserId;
    call.workspace.post(conversation, {
      message: { user, text: 'Replied while paging', thread_ts: message.ts },
      replyTo: { rootAt, isBroadcast: false },
    });
  },
};

interface Disturbance {
  readonly conversation: Conversation;
  readonly change: PagingChange;
  readonly nextCursor: string;
}

/** Deletes or edits the message that the next page was to begin with. */
function disturbMessages(nowSeconds: number, disturbance: Disturbance): void {
  const { conversation, change, nextCursor } = disturbance;
  const at = parseMicrosDigits(decodeCursor('next_ts', nextCursor) ?? '');
  const target = at === undefined ? undefined : conversation.timeline.find(at);
  if (target === undefined) return;
  if (change === 'delete') deleteMessage(conversation, target);
  if (change === 'update') {
    const user = target.message.user ?? 'USLACKBOT';
    const text = `${target.message.text} (changed)`;
    const edited = { user, ts: `${String(nowSeconds)}.000000` };
    conversation.timeline.replace(target.at, { ...target.message, text, edited });
    conversation.markWritten();
  }
}

/** A message that others replied to leaves a tombstone, so that its thread stays. */
function deleteMessage(conversation: Conversation, { at, message }: PlacedMessage): void {
  if (message.reply_count === undefined) {
    conversation.timeline.remove(at);
  } else {
    const { reply_count, reply_users_count, latest_reply, reply_users, thread_ts } = message;
    const tombstone: SlackMessage = {
      type: 'message',
      subtype: 'tombstone',
      user: 'USLACKBOT',
      text: 'This message was deleted.',
      hidden: true,
      ts: message.ts,
      thread_ts: thread_ts ?? message.ts,
      reply_count,
      reply_users_count: reply_users_count ?? 0,
      latest_reply: latest_reply ?? message.ts,
      reply_users: reply_users ?? [],
      is_locked: false,
    };
    conversation.timeline.replace(at, tombstone);
  }
  conversation.markWritten();
}

/** The page size asked for, cut to the largest that the app may have. */
function pageSize({ args, mostMessages }: MethodCall, limits: typeof HISTORY_LIMITS): number {
  return Math.min(limitArgument(args, limits.most) ?? limits.usual, mostMessages);
}

function messagePage(found: readonly PlacedMessage[], limit: number) {
  const next = found[limit];
  return {
    messages: found.slice(0, limit).map(({ message }) => message),
    has_more: next !== undefined,
    response_metadata: {
      next_cursor: next === undefined ? '' : encodeCursor('next_ts', String(next.at)),
    },
  };
}

function threadArgument(call: MethodCall): PlacedMessage {
  const at = parseTimestamp(textArgument(call.args, 'ts') ?? '');
  const placed = at === undefined ? undefined : conversationArgument(call).timeline.find(at);
  if (placed === undefined) throw new SlackError('thread_not_found');
  return placed;
}

/** The window asked for: its ends count only when `inclusive` says so. */
function windowArgument({ args }: MethodCall): TimeWindow {
  const oldest = timeArgument(textArgument(args, 'oldest'), 'invalid_ts_oldest');
  const latest = timeArgument(textArgument(args, 'latest'), 'invalid_ts_latest');
  const step = flagArgument(args, 'inclusive') ? 0 : 1;
  return {
    from: oldest === undefined ? 0 : oldest + step,
    to: latest === undefined ? Number.MAX_SAFE_INTEGER : latest - step,
  };
}

function timeArgument(text: string | undefined, code: string): Micros | undefined {
  if (text === undefined || text === '') return undefined;
  const at = parseTimestamp(text);
  if (at === undefined) throw new SlackError(code);
  return at;
}

function cursorTime({ args }: MethodCall): Micros | undefined {
  const target = decodeCursor('next_ts', textArgument(args, 'cursor'));
  if (target === undefined) return undefined;
  const at = parseMicrosDigits(target);
  if (at === undefined) throw new SlackError('invalid_cursor');
  return at;
}
