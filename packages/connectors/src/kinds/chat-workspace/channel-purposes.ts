import { entity } from '../../vocabulary/index.ts';
import { channelRecord, setChannelText } from './shared.ts';

/** @see docs/reference/chat-workspace.md#channel_purposes */
export const channelPurposes = entity({
  name: 'channel_purposes',
  doc: 'Setting the purpose of a channel.',
  reference: 'https://docs.slack.dev/reference/objects/conversation-object',
  record: channelRecord,
  actions: { create: setChannelText('purpose') },
});
