import { entity, field } from '../../vocabulary/index.ts';
import { cursorList, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/organizations/organization_memberships');

export const organizationMemberships = entity({
  name: 'organization_memberships',
  doc: 'Which users are in which organizations.',
  reference,
  record: {
    id: field.integer('Membership id.', { always: true }),
    url,
    user_id: field.integer('User.'),
    organization_id: field.integer('Organization.'),
    default: field.boolean('Is the default organization of the user.'),
    organization_name: field.string('Name of the organization.'),
    view_tickets: field.boolean("The user sees the organization's tickets."),
    ...timestamps,
  },
  actions: {
    list: cursorList(reference, 'GET /organization_memberships.json', {
      doc: 'Lists organization memberships.',
    }),
  },
});
