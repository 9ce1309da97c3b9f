import type { CallRow, Known } from '../call.ts';

const ONCE = {
  of: 'slack',
  operation: 'messages.create',
  idempotencyKey: 'a key of the contract',
} as const;

/** Every write there is. Each surface writes into an upstream of its own, all of them alike. */
export const WRITES: readonly CallRow[] = [
  {
    name: 'a new channel',
    of: 'slack',
    operation: 'channels.create',
    params: { name: 'contract', is_private: false },
    learn: { made: 'id' },
  },
  {
    name: 'a new name of a channel',
    of: 'slack',
    operation: 'channels.update',
    params: ({ made }: Known) => ({ channel: made, name: 'contract-renamed' }),
  },
  {
    name: 'a message',
    of: 'slack',
    operation: 'messages.create',
    params: ({ made }: Known) => ({ channel: made, text: 'hello', unfurl_links: false }),
    learn: { posted: 'ts' },
  },
  {
    name: 'a text of many scripts, quotes and line ends',
    of: 'slack',
    operation: 'messages.create',
    params: ({ made }: Known) => ({
      channel: made,
      text: 'Grüße 👋🏽 "in" \\ \'quotes\'\r\n\tالسلام\u2028$HOME `x` <b>&amp;\u0007\u001b[1m',
    }),
  },
  {
    name: 'a reply, shown in the channel too',
    of: 'slack',
    operation: 'messages.create',
    params: ({ made, posted }: Known) => ({
      channel: made,
      text: 'hello again',
      thread_ts: posted,
      reply_broadcast: true,
    }),
  },
  {
    name: 'another text of a message',
    of: 'slack',
    operation: 'messages.update',
    params: ({ made, posted }: Known) => ({ channel: made, ts: posted, text: 'hello, all' }),
  },
  {
    name: 'a reaction',
    of: 'slack',
    operation: 'reactions.create',
    params: ({ made, posted }: Known) => ({ channel: made, timestamp: posted, name: 'wave' }),
  },
  {
    name: 'a topic',
    of: 'slack',
    operation: 'channel_topics.create',
    params: ({ made }: Known) => ({ channel: made, topic: 'One contract' }),
  },
  {
    name: 'a purpose, after which the channel is read',
    of: 'slack',
    operation: 'channel_purposes.create',
    params: ({ made }: Known) => ({ channel: made, purpose: '' }),
  },
  {
    name: 'some fields of what was written',
    of: 'slack',
    operation: 'messages.create',
    params: ({ channel }: Known) => ({ channel, text: 'in short' }),
    selectFields: ['ts', 'text'],
  },
  {
    ...ONCE,
    name: 'a message with a key',
    params: ({ channel }: Known) => ({ channel, text: 'once' }),
  },
  {
    ...ONCE,
    name: 'the same message with the same key',
    params: ({ channel }: Known) => ({ text: 'once', channel }),
  },
  {
    ...ONCE,
    name: 'another message with that key',
    params: ({ channel }: Known) => ({ channel, text: 'twice' }),
    expect: 'idempotency_key_reused',
  },
  {
    name: 'what was written once',
    of: 'slack',
    operation: 'channel_messages.list',
    params: ({ channel }: Known) => ({ channel, limit: 3 }),
    notBy: { library: 'It knows no keys, and so has not written there.' },
  },
  {
    name: 'what all of this has written',
    of: 'slack',
    operation: 'channel_messages.list',
    params: ({ made }: Known) => ({ channel: made, limit: 20 }),
  },
  {
    name: 'the thread that was written',
    of: 'slack',
    operation: 'threads.list',
    params: ({ made, posted }: Known) => ({ channel: made, ts: posted, limit: 20 }),
  },
];
