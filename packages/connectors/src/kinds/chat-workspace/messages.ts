import { create, entity, field, param, update } from '../../vocabulary/index.ts';
import { botProfile, tier } from './shared.ts';

/** The channel of a message as the answer has it: the param may be the id of a user. */
const params = { channel: 'channel' } as const;

/** @see docs/reference/chat-workspace.md#messages */
export const messages = entity({
  name: 'messages',
  doc: 'Posting and editing messages.',
  reference: 'https://docs.slack.dev/messaging',
  key: ['ts'],
  record: {
    type: field.string('Always `message`.'),
    subtype: field.string('What kind of message it is, where it is not a plain one.'),
    text: field.string('Text, with mrkdwn formatting.'),
    ts: field.string('Timestamp, unique in the channel; identifies the message.', { always: true }),
    user: field.string('User who sent it.'),
    bot_id: field.string('Bot that sent it.'),
    app_id: field.string('App that sent it.'),
    team: field.string('Workspace of the sender.'),
    bot_profile: field.freeForm('Profile of the bot that sent it.', botProfile),
  },
  actions: {
    create: create({
      doc: 'Posts a message.',
      reference: 'https://docs.slack.dev/reference/methods/chat.postMessage',
      request: 'POST /chat.postMessage',
      params: {
        channel: param.string('Channel id, private group id or user id.', { required: true }),
        // Slack cuts off what is longer, and says nothing.
        text: param.string('Text; supports mrkdwn formatting.', {
          required: true,
          maxLength: 40_000,
        }),
        thread_ts: param.string('Timestamp of the message to reply to.'),
        reply_broadcast: param.boolean('Post the reply to the channel too.'),
        unfurl_links: param.boolean('Show previews of linked pages.'),
        unfurl_media: param.boolean('Show previews of linked media.'),
      },
      record: 'message',
      fill: { ts: 'ts' },
      copies: [
        { entity: 'channel_messages', params, notGiven: 'thread_ts' },
        { entity: 'channel_messages', params, given: 'reply_broadcast' },
        { entity: 'threads', params, given: 'thread_ts' },
      ],
      // Slack allows about one message a second for each channel and tolerates short bursts.
      policies: {
        rates: [{ perMinute: 60, burst: 3, shared: 'request', perParam: 'channel' }],
      },
      howToFindOut: 'List the newest messages of the channel (or of the thread) and look for it.',
    }),
    update: update({
      doc: 'Changes the text of a message.',
      reference: 'https://docs.slack.dev/reference/methods/chat.update',
      request: 'POST /chat.update',
      params: {
        channel: param.string('Channel id.', { required: true }),
        ts: param.string('Timestamp of the message.', { required: true }),
        text: param.string('New text.', { required: true }),
      },
      record: 'message',
      // chat.update may put ts and text at top level only; its message is then {text, user}.
      fill: { ts: 'ts', text: 'text' },
      copies: [
        { entity: 'channel_messages', params, onlyKnown: true },
        { entity: 'threads', params, onlyKnown: true },
      ],
      policies: { rates: [tier(3)] },
      howToFindOut: 'List the messages of the channel around its timestamp and read its text.',
    }),
  },
});
