import { create, entity, param } from '../../vocabulary/index.ts';
import { channelRecord, readChannelBack, tier } from './shared.ts';

/** @see service reference, parts 2.2 and 4.4 */
export const channelPurposes = entity({
  name: 'channel_purposes',
  doc: 'Setting the purpose of a channel.',
  reference: 'https://docs.slack.dev/reference/objects/conversation-object',
  key: 'id',
  record: channelRecord,
  actions: {
    create: create({
      doc: 'Sets the purpose of a channel and returns the channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.setPurpose',
      request: 'POST /conversations.setPurpose',
      params: {
        channel: param.string('Channel id.', { required: true }),
        purpose: param.string('New purpose; empty removes it.', { required: true, maxLength: 250 }),
      },
      record: 'channel',
      readBack: readChannelBack,
      policies: { rates: [tier(2)] },
      howToFindOut: 'Get the channel and look at its purpose.',
    }),
  },
});
