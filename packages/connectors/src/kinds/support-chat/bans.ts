import { isJsonObject } from '../../json-value.ts';
import { asInteger } from '../../scalars.ts';
import { entity, field } from '../../vocabulary/index.ts';
import { id, listById, one, page } from './shared.ts';

/** @see docs/reference/support-chat.md#bans */
export const bans = entity({
  name: 'bans',
  doc: 'Visitors and IP addresses that are kept out.',
  reference: page('bans'),
  record: {
    id: field.integer('Ban id.', { always: true }),
    type: field.string('What is banned: I for an IP address.'),
    ip_address: field.string('Banned IP address.'),
    visitor_id: field.string('Banned visitor.'),
    visitor_name: field.string('Name of the banned visitor.'),
    reason: field.string('Why.'),
    created_at: field.string('Creation; old bans do not know it.'),
  },
  actions: { list: listById('bans', 1000, inOneList), get: one('bans', { ban_id: id }) },
});

/** The groups in which a list has its bans, and the type that one of them has alone, where Zendesk tells it. */
const TYPES: Readonly<Record<string, string | undefined>> = { visitor: undefined, ip_address: 'I' };

/**
 * Zendesk sends the bans of a page apart, `{visitor: […], ip_address: […]}`, though it counts and
 * pages them together: only in one list by id does the last one tell where the next page begins. Of
 * its type a ban says nothing there, so it gets that of its group if that is known. Any other body is left as it is.
 */
function inOneList(body: unknown): unknown {
  const groups = Object.entries(body ?? {}).filter(([name]) => Object.hasOwn(TYPES, name));
  const lists = groups.map(([name, bansOfType]: [string, unknown]) =>
    Array.isArray(bansOfType) ? bansOfType.map((ban) => withType(ban, name)) : undefined,
  );
  if (lists.length === 0 || lists.includes(undefined)) return body;
  return lists.flat().toSorted((a, b) => idOf(a) - idOf(b));
}

function withType(ban: unknown, group: string): unknown {
  return isJsonObject(ban) ? { ...ban, type: ban['type'] ?? TYPES[group] } : ban;
}

function idOf(ban: unknown): number {
  return (isJsonObject(ban) ? asInteger(ban['id']) : undefined) ?? 0;
}
