import { create, entity, field, param } from '../../vocabulary/index.ts';
import { tier } from './shared.ts';

/** @see docs/reference/chat-workspace.md#reactions */
export const reactions = entity({
  name: 'reactions',
  doc: 'Adding emoji reactions to messages.',
  reference: 'https://docs.slack.dev/reference/methods/reactions.add',
  key: [],
  record: {
    ok: field.boolean('The reaction was added.', { always: true }),
  },
  actions: {
    create: create({
      doc: 'Adds an emoji reaction to a message.',
      reference: 'https://docs.slack.dev/reference/methods/reactions.add',
      request: 'POST /reactions.add',
      params: {
        channel: param.string('Channel that holds the message.', { required: true }),
        timestamp: param.string('Timestamp of the message.', { required: true }),
        name: param.string('Emoji name, without colons.', { required: true }),
      },
      record: '$',
      policies: { rates: [tier(3)] },
      howToFindOut: 'List the messages of the channel around its timestamp and look at reactions.',
    }),
  },
});
