import { create, entity, param } from '../../vocabulary/index.ts';
import { channelRecord, readChannelBack, tier } from './shared.ts';

/** @see service reference, parts 2.2 and 4.4 */
export const channelTopics = entity({
  name: 'channel_topics',
  doc: 'Setting the topic of a channel.',
  reference: 'https://docs.slack.dev/reference/objects/conversation-object',
  key: 'id',
  record: channelRecord,
  actions: {
    create: create({
      doc: 'Sets the topic of a channel and returns the channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.setTopic',
      request: 'POST /conversations.setTopic',
      params: {
        channel: param.string('Channel id.', { required: true }),
        topic: param.string('New topic; empty removes it.', { required: true, maxLength: 250 }),
      },
      record: 'channel',
      readBack: readChannelBack,
      policies: { rates: [tier(2)] },
      howToFindOut: 'Get the channel and look at its topic.',
    }),
  },
});
