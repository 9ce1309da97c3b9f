import { entity } from '../../vocabulary/index.ts';
import { channelRecord, setChannelText } from './shared.ts';

/** @see service reference, parts 2.2 and 4.4 */
export const channelPurposes = entity({
  name: 'channel_purposes',
  doc: 'Setting the purpose of a channel.',
  reference: 'https://docs.slack.dev/reference/objects/conversation-object',
  record: channelRecord,
  actions: { create: setChannelText('purpose') },
});
