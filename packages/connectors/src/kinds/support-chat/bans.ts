import { entity, field } from '../../vocabulary/index.ts';
import { id, listById, one, page } from './shared.ts';

/** @see docs/reference/support-chat.md#bans */
export const bans = entity({
  name: 'bans',
  doc: 'Visitors and IP addresses that are kept out.',
  reference: page('bans'),
  record: {
    id: field.integer('Ban id.', { always: true }),
    type: field.string('What is banned: a visitor or an IP address.'),
    ip_address: field.string('Banned IP address.'),
    visitor_id: field.string('Banned visitor.'),
    visitor_name: field.string('Name of the banned visitor.'),
    reason: field.string('Why.'),
    created_at: field.string('Creation; old bans do not know it.'),
  },
  actions: { list: listById('bans', 1000, inOneList), get: one('bans', { ban_id: id }) },
});

/**
 * Zendesk sends the bans of a page apart, `{visitor: […], ip_address: […]}`, though it counts and
 * pages them together: only in one list by id does the last one tell where the next page begins.
 * Any other body is left as it is.
 */
function inOneList(body: unknown): unknown {
  const lists = Object.entries(body ?? {})
    .filter(([name]) => name === 'visitor' || name === 'ip_address')
    .map(([, bansOfType]: [string, unknown]) => bansOfType);
  if (lists.length === 0 || !lists.every(Array.isArray)) return body;
  return lists.flat().toSorted((a, b) => idOf(a) - idOf(b));
}

function idOf(ban: unknown): number {
  return typeof ban === 'object' && ban !== null && 'id' in ban ? Number(ban.id) : 0;
}
