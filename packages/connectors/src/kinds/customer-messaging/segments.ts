import { entity, field, list, param } from '../../vocabulary/index.ts';
import { one, page } from './shared.ts';

/** @see docs/reference/customer-messaging.md#segments */
export const segments = entity({
  name: 'segments',
  doc: 'Groups of contacts that conditions define.',
  reference: page('segments'),
  record: {
    type: field.string('Always segment.'),
    id: field.string('Segment id.', { always: true }),
    name: field.string('Name.'),
    created_at: field.integer('Creation, in seconds since 1970.'),
    updated_at: field.integer('Last change, in seconds since 1970.'),
    person_type: field.string('Contacts in it: users or leads.'),
    count: field.integer('Contacts in it, where they are counted.'),
  },
  actions: {
    list: list({
      doc: 'Lists all segments.',
      reference: page('segments/listsegments'),
      request: 'GET /segments',
      params: { include_count: param.boolean('Count the contacts in each segment.') },
      records: 'segments',
    }),
    get: one('segments', 'segments/retrievesegment'),
  },
});
