import { entity, field, searchable } from '../../vocabulary/index.ts';
import { cursorList, page } from './shared.ts';

const reference = page('ticketing/ticket-management/tags');

const record = {
  name: field.string('The tag.', { always: true }),
  count: field.integer('How often it is in use.'),
} as const;

export const tags = entity({
  name: 'tags',
  doc: 'Tags in use.',
  reference,
  key: 'name',
  record,
  actions: {
    list: cursorList(reference, 'GET /tags.json', {
      doc: 'Lists up to 20,000 of the most popular tags of the last 60 days.',
    }),
  },
  search: searchable(record, { sortable: ['name', 'count'], text: ['name'] }),
});
