import { entity } from '../../vocabulary/index.ts';
import { channelRecord, setChannelText } from './shared.ts';

/** @see docs/reference/chat-workspace.md#channel_topics */
export const channelTopics = entity({
  name: 'channel_topics',
  doc: 'Setting the topic of a channel.',
  reference: 'https://docs.slack.dev/reference/objects/conversation-object',
  record: channelRecord,
  actions: { create: setChannelText('topic') },
});
