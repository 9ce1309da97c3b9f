import { entity, list, param } from '../../vocabulary/index.ts';
import { messageHead, messagePages, messageTail, byCursor, tier } from './shared.ts';

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
    checkpoint: { field: 'ts', param: 'oldest' },
    parents: [{ entity: 'channels', field: 'id', param: 'channel' }],
    fullEveryHours: 24,
  },
});
