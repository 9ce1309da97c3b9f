import { entity, field } from '../../vocabulary/index.ts';
import { id, one, page, wholeList } from './shared.ts';

/** @see docs/reference/support-chat.md#skills */
export const skills = entity({
  name: 'skills',
  doc: 'What agents are good at, to route chats by.',
  reference: page('skills'),
  record: {
    id: field.integer('Skill id.', { always: true }),
    name: field.string('Name.'),
    description: field.string('Description.'),
    enabled: field.boolean('Chats are routed by it.'),
    members: field.array('Ids of the agents who have it.', 'integer'),
  },
  actions: { list: wholeList('skills'), get: one('skills', { skill_id: id }) },
});
