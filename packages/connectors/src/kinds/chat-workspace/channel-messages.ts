import { entity, field, list, meta, paging, param } from '../../vocabulary/index.ts';
import { cursorParam, messageHead, messageTail, pageSizeParam, tier } from './shared.ts';

/** @see service reference, parts 2.2 and 4.4 */
export const channelMessages = entity({
  name: 'channel_messages',
  doc: 'Messages of a channel, newest first; replies in threads are not among them.',
  reference: 'https://docs.slack.dev/reference/events/message',
  key: ['params.channel', 'ts'],
  record: { ...messageHead, ...messageTail },
  actions: {
    list: list({
      doc: 'Lists the messages of a channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.history',
      request: 'GET /conversations.history',
      params: {
        channel: param.string('Channel id.', { required: true }),
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
    checkpoint: { field: 'ts', param: 'oldest' },
    parents: [{ entity: 'channels', field: 'id', param: 'channel' }],
    fullEveryHours: 24,
  },
});
