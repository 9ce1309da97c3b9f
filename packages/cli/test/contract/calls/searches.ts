import type { CallRow, Json, Known } from '../call.ts';

const CONTACTS = { of: 'intercom', operation: 'contacts.search', target: 'copied' } as const;

/** A search of contacts, whose filter may be made of what earlier ones found. */
function contacts(
  name: string,
  filter: Json | ((known: Known) => Json),
  others: Json = {},
): CallRow {
  const params = (known: Known) => ({
    query: {
      filter: typeof filter === 'function' ? filter(known) : filter,
      sort: [{ created_at: 'desc' }],
    },
    limit: 20,
    ...others,
  });
  return { ...CONTACTS, name, params };
}

const BY_CREATION = { query: { sort: [{ created_at: 'asc' }] }, limit: 3 };

/** Every operator, sorting, fields and walks, over what the service has copied. */
export const SEARCHES: readonly CallRow[] = [
  {
    ...CONTACTS,
    name: 'everything, a page of it',
    params: BY_CREATION,
    learn: {
      email: 'hits.0.data.email',
      contactName: 'hits.1.data.name',
      createdAt: 'hits.2.data.created_at',
      hitsCursor: 'next_cursor',
    },
  },
  {
    ...CONTACTS,
    name: 'the page after it, longer',
    params: ({ hitsCursor }: Known) => ({ ...BY_CREATION, limit: 7, cursor: hitsCursor }),
  },
  { ...CONTACTS, name: 'nothing asked but a number', params: { query: {}, limit: 2 } },
  {
    ...CONTACTS,
    name: 'null params are absent ones',
    params: { query: {}, limit: 2, cursor: null, fields: null },
  },
  {
    ...CONTACTS,
    name: 'all that the service gives unless told',
    params: { query: {}, limit: 1_000 },
  },
  contacts('eq', ({ email }) => ({ eq: { email } })),
  contacts('eq null', { eq: { phone: null } }),
  contacts('neq', { neq: { role: 'user' } }),
  contacts('gt', ({ createdAt }) => ({ gt: { created_at: createdAt } })),
  contacts('gte and lte', ({ createdAt }) => ({
    gte: { created_at: createdAt },
    lte: { created_at: createdAt },
  })),
  contacts('lt', ({ createdAt }) => ({ lt: { created_at: createdAt } })),
  contacts('in', ({ email }) => ({ in: { email: [email, 'nobody@example.com', null] } })),
  contacts('like, the whole value', ({ email }) => ({
    like: { email: `%${String(email).slice(2)}` },
  })),
  contacts('like, a part', { like: { email: '@' } }),
  contacts('like, with what shells and patterns know', { like: { name: `_"'$é\\%` } }),
  contacts('keyword', ({ contactName }) => ({ keyword: { name: contactName } })),
  contacts('fuzzy', ({ contactName }) => ({ fuzzy: { name: String(contactName).slice(0, 4) } })),
  contacts('not', ({ createdAt }) => ({ not: { gt: { created_at: createdAt } } })),
  contacts('and, or', ({ email, createdAt }) => ({
    or: [{ eq: { email } }, { and: [{ eq: { created_at: createdAt } }, { neq: { id: '' } }] }],
  })),
  contacts('a path into an object', { neq: { 'location.country': null } }),
  contacts('nobody', { eq: { email: 'nobody@example.com' } }),
  contacts('only some fields', {}, { fields: ['name', 'location.country'], limit: 4 }),
  {
    ...CONTACTS,
    name: 'by score, without a sort',
    params: ({ contactName }: Known) => ({
      query: { filter: { fuzzy: { name: contactName } } },
      limit: 5,
    }),
  },
  {
    ...CONTACTS,
    name: 'fields as paths of segments',
    params: { query: {}, fields: [['location', 'country'], ['id']], limit: 2 },
  },
  {
    name: 'arrays of numbers',
    of: 'intercom',
    operation: 'teams.search',
    target: 'copied',
    params: { query: { sort: [{ name: 'asc' }] }, limit: 5 },
    learn: { teamAdmin: 'hits.0.data.admin_ids.0' },
  },
  {
    name: 'contains',
    of: 'intercom',
    operation: 'teams.search',
    target: 'copied',
    params: ({ teamAdmin }: Known) => ({
      query: { filter: { contains: { admin_ids: teamAdmin } } },
      limit: 5,
    }),
  },
  {
    name: 'any',
    of: 'slack',
    operation: 'channel_messages.search',
    target: 'copied',
    params: {
      query: { filter: { any: { reactions: { gte: { count: 1 } } } }, sort: [{ ts: 'desc' }] },
      limit: 5,
    },
  },
  {
    name: 'users, by a boolean and a name',
    of: 'slack',
    operation: 'users.search',
    target: 'copied',
    params: {
      query: { filter: { eq: { is_bot: false } }, sort: [{ real_name: 'asc' }, { id: 'desc' }] },
      limit: 5,
    },
  },
  {
    name: 'chats, the longest first',
    of: 'chat',
    operation: 'chats.search',
    target: 'copied',
    params: { query: { filter: { gt: { duration: 0 } }, sort: [{ duration: 'desc' }] }, limit: 5 },
  },
  {
    name: 'ids that are numbers where they are searched',
    of: 'chat',
    operation: 'shortcuts.search',
    target: 'copied',
    params: { query: { sort: [{ name: 'asc' }] }, limit: 3 },
  },
];
