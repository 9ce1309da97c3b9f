import { entity, field } from '../../vocabulary/index.ts';
import { one, page, wholeList } from './shared.ts';

/** @see docs/reference/customer-messaging.md#tags */
export const tags = entity({
  name: 'tags',
  doc: 'Labels for contacts, companies and conversations.',
  reference: page('tags'),
  record: {
    type: field.string('Always tag.'),
    id: field.string('Tag id.', { always: true }),
    name: field.string('Name.'),
    applied_at: field.integer('When it was put on, in seconds since 1970; not in lists of tags.'),
    applied_by: field.freeForm('Who put it on; not in lists of tags.', {
      type: 'string',
      id: 'string',
    }),
  },
  actions: {
    list: wholeList('tags', 'tags/listtags', { records: 'data' }),
    get: one('tags', 'tags/findtag'),
  },
});
