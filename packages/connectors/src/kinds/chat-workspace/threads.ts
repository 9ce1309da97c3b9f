import { entity, field, list, meta, paging, param } from '../../vocabulary/index.ts';
import { cursorParam, messageHead, messageTail, pageSizeParam, tier } from './shared.ts';

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
        cursor: cursorParam(),
        limit: pageSizeParam('Messages per page.'),
        oldest: param.string('Start of the range, a Unix timestamp.'),
        latest: param.string('End of the range, a Unix timestamp.'),
        inclusive: param.boolean('Include messages exactly at oldest or latest.'),
      },
      records: 'messages',
      meta: {
        next_cursor: meta(
          field.string('Cursor of the next page.'),
          'response_metadata.next_cursor',
        ),
        has_more: meta(field.boolean('There are more messages.'), 'has_more'),
      },
      paging: paging.cursor({ param: 'cursor', next: 'next_cursor' }),
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
