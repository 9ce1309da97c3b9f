import { entity, get, list, param, searchable } from '../../vocabulary/index.ts';
import {
  byCursor,
  channelOfMessage,
  LARGEST_PAGE,
  leftOutOfMessages,
  messageHead,
  messagePages,
  messageTail,
  tier,
  unreadable,
} from './shared.ts';

const record = { ...messageHead, ...messageTail } as const;

const pages = messagePages({ most: LARGEST_PAGE });

/** Changes nothing for a member; Slack then says so in a warning. */
const join = get({
  doc: 'Joins a public channel, so that its messages can be read.',
  reference: 'https://docs.slack.dev/reference/methods/conversations.join',
  request: 'POST /conversations.join',
  params: { channel: param.string('Channel id.', { required: true }) },
  record: 'channel',
  policies: { rates: [tier(3)] },
});

/** @see docs/reference/chat-workspace.md#channel_messages */
export const channelMessages = entity({
  name: 'channel_messages',
  doc: 'Messages of a channel, newest first; replies in threads are not among them.',
  reference: 'https://docs.slack.dev/reference/events/message',
  key: ['params.channel', 'ts'],
  record,
  leftOut: [...leftOutOfMessages, 'parent_user_id'],
  actions: {
    list: list({
      doc: 'Lists the messages of a channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.history',
      request: 'GET /conversations.history',
      params: {
        channel: param.string('Channel id.', { required: true }),
        ...pages.params,
      },
      records: 'messages',
      meta: pages.meta,
      paging: byCursor,
      policies: { rates: [tier(3)] },
    }),
  },
  search: searchable(record, {
    ...channelOfMessage,
    sortable: ['channel', 'latest_reply', 'reply_count', 'thread_ts', 'ts', 'user'],
    text: ['attachments', 'files', 'text'],
  }),
  replicate: {
    params: { limit: 200, inclusive: true },
    since: {
      param: 'oldest',
      as: 'seconds_text',
      startDate: 'start_date',
      lookbackDays: 'lookback_window',
    },
    parents: {
      entity: 'channels',
      params: { channel: 'id' },
      where: [
        { field: 'is_archived', isNot: true, unless: 'include_archived_channels' },
        {
          anyOf: [
            { field: 'is_member', is: true },
            // Direct messages have no is_member, nor need those of several people: whoever sees one is in it.
            { field: 'is_im', is: true },
            { field: 'is_mpim', is: true },
            { field: 'is_private', is: false, when: 'join_channels' },
          ],
        },
      ],
      before: {
        action: join,
        when: 'join_channels',
        where: [
          { field: 'is_member', isNot: true },
          { field: 'is_private', is: false },
        ],
      },
      refusals: unreadable,
    },
    increment: 'same',
    fullEveryHours: 168,
  },
});
