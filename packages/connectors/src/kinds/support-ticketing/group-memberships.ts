import { entity, field } from '../../vocabulary/index.ts';
import { cursorList, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/groups/group_memberships');

export const groupMemberships = entity({
  name: 'group_memberships',
  doc: 'Which agents are in which groups.',
  reference,
  record: {
    id: field.integer('Membership id.', { always: true }),
    url,
    user_id: field.integer('Agent.'),
    group_id: field.integer('Group.'),
    default: field.boolean('Is the default group of the agent.'),
    ...timestamps,
  },
  actions: {
    list: cursorList(reference, 'GET /group_memberships.json', { doc: 'Lists group memberships.' }),
  },
});
