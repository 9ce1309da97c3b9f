import { entity, field, list, param } from '../../vocabulary/index.ts';
import { byCursor, messageHead, messagePages, messageTail, tier } from './shared.ts';

/** @see service reference, parts 2.2 and 4.4 */
export const threads = entity({
  name: 'threads',
  doc: 'Messages of a thread, its parent first.',
  reference: 'https://docs.slack.dev/reference/events/message',
  key: ['params.channel', 'ts'],
  record: {
    ...messageHead,
    parent_user_id: field.string('User who began the thread.'),
    ...messageTail,
  },
  actions: {
    list: list({
      doc: 'Lists the messages of a thread.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.replies',
      request: 'GET /conversations.replies',
      params: {
        channel: param.string('Channel id.', { required: true }),
        // Optional as in the service reference, although Slack needs it and says so itself.
        ts: param.string('Timestamp of the parent message; needed to get thread replies.'),
        ...messagePages.params,
      },
      records: 'messages',
      meta: messagePages.meta,
      paging: byCursor,
      policies: { rates: [tier(3)] },
    }),
  },
  replicate: {
    params: { limit: 200 },
    parents: [
      { entity: 'channels', field: 'id', param: 'channel' },
      { entity: 'channel_messages', field: 'thread_ts', param: 'ts' },
    ],
    fullEveryHours: 24,
  },
});
