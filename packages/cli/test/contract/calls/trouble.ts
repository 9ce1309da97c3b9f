import type { CallRow, Known } from '../call.ts';

const USERS = { of: 'slack', operation: 'users.list', params: { limit: 1 } } as const;
const POST = {
  of: 'slack',
  operation: 'messages.create',
  params: ({ made }: Known) => ({ channel: made, text: 'did it arrive?' }),
} as const;

/** Upstreams that are slow, down, or do not keep to what they document. */
export const TROUBLE: readonly CallRow[] = [
  { ...USERS, name: 'an error that passes', trouble: { kind: 'serverError', times: 1 } },
  { ...USERS, name: 'an answer cut once', trouble: { kind: 'truncate', times: 1 } },
  {
    ...USERS,
    name: 'errors that do not pass',
    trouble: { kind: 'serverError' },
    expect: 'upstream_unavailable',
  },
  {
    of: 'intercom',
    operation: 'contacts.list',
    params: { per_page: 1 },
    name: 'errors of a proxy',
    trouble: { kind: 'serverError', status: 503, body: 'html', method: 'GET /contacts' },
    expect: 'upstream_unavailable',
  },
  {
    ...USERS,
    name: 'connections that break',
    trouble: { kind: 'cutConnection' },
    expect: 'upstream_unavailable',
  },
  {
    ...USERS,
    name: 'answers that are cut',
    trouble: { kind: 'truncate', how: 'connection' },
    expect: 'upstream_unavailable',
  },
  {
    ...USERS,
    name: 'half an answer for a whole one',
    trouble: { kind: 'truncate', how: 'json' },
    expect: 'upstream_contract_broken',
  },
  {
    ...USERS,
    name: 'a page for people',
    trouble: { kind: 'htmlBody' },
    expect: 'upstream_contract_broken',
  },
  {
    ...USERS,
    name: 'an array for records',
    trouble: { kind: 'arrayBody', where: 'records' },
    expect: 'upstream_contract_broken',
  },
  {
    ...USERS,
    name: 'fields that nobody has heard of',
    trouble: { kind: 'unknownFields' },
  },
  {
    ...POST,
    name: 'no answer, although it was done',
    trouble: { kind: 'cutConnection', method: 'chat.postMessage', afterApplying: true },
    expect: 'write_outcome_unknown',
  },
  {
    ...POST,
    name: 'an error, although it was done',
    trouble: { kind: 'serverError', method: 'chat.postMessage', afterApplying: true },
    expect: 'write_outcome_unknown',
  },
  {
    ...POST,
    name: 'no answer, and nothing done',
    trouble: { kind: 'cutConnection', method: 'chat.postMessage' },
    expect: 'write_outcome_unknown',
  },
  {
    ...POST,
    name: 'half an answer',
    trouble: { kind: 'truncate', how: 'json', method: 'chat.postMessage' },
    expect: 'write_outcome_unknown',
  },
  {
    ...POST,
    name: 'an array for an answer',
    trouble: { kind: 'arrayBody', where: 'body', method: 'chat.postMessage' },
    expect: 'write_outcome_unknown',
  },
  {
    of: 'slack',
    operation: 'channel_purposes.create',
    params: ({ made }: Known) => ({ channel: made, purpose: 'done, but not read' }),
    name: 'done, but then nothing can be read',
    trouble: [{ kind: 'bareWrites' }, { kind: 'serverError', method: 'conversations.info' }],
    expect: 'upstream_unavailable',
  },
  {
    ...USERS,
    name: 'nothing at the address',
    trouble: 'gone',
    expect: 'upstream_unavailable',
  },
  {
    name: 'what was written in all of this, and nothing twice',
    of: 'slack',
    operation: 'channel_messages.list',
    params: ({ made }: Known) => ({ channel: made, limit: 50 }),
  },
];

/** The last ones: no call of theirs goes out for as long as the upstream says. */
export const LONG_WAITS: readonly CallRow[] = [
  {
    ...USERS,
    name: 'longer to wait than there is time',
    trouble: { kind: 'rateLimit', retryAfterSeconds: 3_600 },
    expect: 'upstream_rate_limited',
  },
  {
    ...POST,
    name: 'longer to wait than there is time',
    trouble: { kind: 'rateLimit', retryAfterSeconds: 3_600 },
    expect: 'upstream_rate_limited',
  },
];
