import { isJsonObject } from '../../json-value.ts';
import { entity, field, list, param, searchable } from '../../vocabulary/index.ts';
import {
  byCursor,
  channelOfMessage,
  leftOutOfMessages,
  messageHead,
  messagePages,
  messageTail,
  tier,
  unreadable,
} from './shared.ts';

const record = {
  ...messageHead,
  parent_user_id: field.string('User who began the thread.'),
  ...messageTail,
} as const;

/** Slack's own size. */
const pages = messagePages({ most: 1000 });

/** @see docs/reference/chat-workspace.md#threads */
export const threads = entity({
  name: 'threads',
  doc: 'Messages of a thread, its parent among them.',
  reference: 'https://docs.slack.dev/reference/events/message',
  key: ['params.channel', 'ts'],
  record,
  leftOut: leftOutOfMessages,
  actions: {
    list: list({
      doc: 'Lists the messages of a thread.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.replies',
      request: 'GET /conversations.replies',
      params: {
        channel: param.string('Channel id.', { required: true }),
        // Optional as in the service reference, although Slack needs it and says so itself.
        ts: param.string('Timestamp of the parent message; needed to get thread replies.'),
        ...pages.params,
      },
      records: 'messages',
      meta: pages.meta,
      paging: byCursor,
      reshape: withoutParentAgain,
      policies: { rates: [tier(3)] },
    }),
  },
  search: searchable(record, {
    ...channelOfMessage,
    sortable: ['channel', 'latest_reply', 'reply_count', 'thread_ts', 'ts', 'user'],
    text: ['attachments', 'files', 'text'],
  }),
  replicate: {
    params: { limit: 200 },
    parents: {
      entity: 'channel_messages',
      params: { channel: 'channel', ts: 'ts' },
      where: [{ field: 'reply_count', above: 0, when: 'threads_ignore_no_replies' }],
      changedOnly: true,
      // A new reply changes the message that began the thread; an edited one does not.
      recent: {
        lookbackDays: 'lookback_window',
        fields: ['latest_reply', 'ts'],
        as: 'seconds_text',
      },
      refusals: [...unreadable, 'thread_not_found', 'message_not_found'],
    },
    increment: 'same',
    fullEveryHours: 168,
  },
});

/** Slack may begin every page with the parent; only the first one, which has no cursor, keeps it. */
function withoutParentAgain(
  body: unknown,
  { cursor, ts }: Readonly<Record<string, unknown>>,
): unknown {
  if ((cursor ?? '') === '' || !isJsonObject(body) || !Array.isArray(body['messages'])) return body;
  const messages: readonly unknown[] = body['messages'];
  const [first, ...others] = messages;
  return isJsonObject(first) && first['ts'] === ts ? { ...body, messages: others } : body;
}
