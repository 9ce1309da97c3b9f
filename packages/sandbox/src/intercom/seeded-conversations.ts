import { hash32, pick } from '../seeded-random.ts';
import { seededTags } from './seeded-directory.ts';
import { conversationContact, countParts } from './seeded-parts.ts';
import { CONTACT_SENTENCES, RATING_REMARKS, SUBJECTS } from './words.ts';
import { CONVERSATION_SALT } from './world.ts';
import type { World } from './world.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** A conversation as lists show it: without its parts. */
export type IntercomConversation = ReturnType<typeof seededConversation>;

/** The id of the conversation at a position; {@link conversationPosition} undoes it. */
export function conversationId(world: World, position: number): string {
  return String(world.firstConversationId + position);
}

/** The position of a conversation id, perhaps beyond the last one; undefined if it is no id. */
export function conversationPosition(world: World, id: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(id)) return undefined;
  const position = Number(id) - world.firstConversationId;
  return position >= 0 ? position : undefined;
}

/**
 * The conversation at a position, the same one every time.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/conversation
 */
export function seededConversation(world: World, position: number) {
  const hash = hash32(world.seed, position, CONVERSATION_SALT + 10);
  const more = hash32(world.seed, position, CONVERSATION_SALT + 11);
  const createdAt = world.createdAt(position, world.conversationCount);
  const updatedAt = world.updatedAt(position, createdAt, CONVERSATION_SALT);
  const contact = conversationContact(world, position);
  const state = stateAt(position);
  const admin = more % world.adminCount;
  const isAssigned = hash % 5 !== 0;
  const hasAgent = (hash >>> 3) % 3 === 0;
  const isRated = state === 'closed' && (hash >>> 5) % 3 === 0;
  return {
    type: 'conversation',
    id: conversationId(world, position),
    created_at: createdAt,
    updated_at: updatedAt,
    waiting_since: state === 'open' && hash % 2 === 0 ? updatedAt : null,
    snoozed_until: state === 'snoozed' ? world.endsAt + DAY_SECONDS : null,
    source: {
      type: position % 4 === 1 ? 'email' : 'conversation',
      id: String(403_000_000 + position),
      delivered_as: 'customer_initiated',
      subject: position % 4 === 1 ? `<p>${pick(SUBJECTS, hash >>> 7)}</p>` : '',
      body: pick(CONTACT_SENTENCES, hash >>> 9),
      author: {
        type: contact.role,
        id: contact.id,
        name: contact.name,
        email: contact.email ?? '',
      },
      attachments: position % 10 === 6 ? [attachment(position)] : [],
      url: position % 4 === 1 ? null : 'https://app.example.com/settings?tab=billing&lang=de',
      redacted: position % 97 === 50,
    },
    contacts: {
      type: 'contact.list',
      contacts: [{ type: 'contact', id: contact.id, external_id: contact.external_id }],
    },
    first_contact_reply:
      position % 6 === 0
        ? null
        : { created_at: createdAt, type: 'conversation', url: 'https://app.example.com/' },
    admin_assignee_id: isAssigned ? world.adminNumber(admin) : null,
    team_assignee_id: isAssigned && hash % 3 === 0 ? world.teamNumber(hash % 3) : null,
    open: state !== 'closed',
    state,
    read: hash % 4 !== 0,
    tags: { type: 'tag.list', tags: tagsOf(world, hash, { createdAt, admin }) },
    priority: hash % 7 === 0 ? 'priority' : 'not_priority',
    sla_applied: slaAt(position),
    statistics: position % 8 === 5 ? null : statistics(world, position, { createdAt, updatedAt }),
    conversation_rating: isRated
      ? {
          rating: 1 + (more % 5),
          remark: pick(RATING_REMARKS, more >>> 3),
          created_at: updatedAt,
          contact: { type: 'contact', id: contact.id, external_id: contact.external_id },
          teammate: { type: 'admin', id: String(world.adminNumber(admin)) },
        }
      : null,
    teammates: isAssigned
      ? { type: 'admin.list', admins: [{ type: 'admin', id: String(world.adminNumber(admin)) }] }
      : null,
    title: position % 3 === 0 ? pick(SUBJECTS, more >>> 5) : null,
    custom_attributes: customAttributes(position, hash),
    topics: {},
    ticket: null,
    linked_objects: linkedObjects(position),
    ai_agent: hasAgent ? aiAgent(position, more) : null,
    ai_agent_participated: hasAgent,
  };
}

function stateAt(position: number): 'open' | 'closed' | 'snoozed' {
  if (position % 12 === 7) return 'snoozed';
  return position % 3 === 0 ? 'open' : 'closed';
}

function attachment(position: number) {
  return {
    type: 'upload',
    name: `Screenshot ${String(position)} größer.png`,
    url: `https://downloads.example.com/attachments/${String(position)}.png?expires=1800000000`,
    content_type: 'image/png',
    filesize: 20_480 + position,
    width: 640,
    height: 480,
  };
}

interface Tagging {
  readonly createdAt: number;
  readonly admin: number;
}

function tagsOf(world: World, hash: number, { createdAt, admin }: Tagging) {
  const id = String(world.adminNumber(admin));
  return seededTags(world)
    .filter((_, nth) => (hash >>> nth) % 16 === 0)
    .map((tag) => ({ ...tag, applied_at: createdAt + 60, applied_by: { type: 'admin', id } }));
}

function slaAt(position: number) {
  if (position % 5 !== 2) return null;
  const status = position % 10 === 2 ? 'hit' : 'missed';
  return { type: 'conversation_sla_summary', sla_name: 'Within a day', sla_status: status };
}

interface Lifetime {
  readonly createdAt: number;
  readonly updatedAt: number;
}

function statistics(world: World, position: number, { createdAt, updatedAt }: Lifetime) {
  const isClosed = stateAt(position) === 'closed';
  const hash = hash32(world.seed, position, CONVERSATION_SALT + 12);
  const repliedAt = Math.min(updatedAt, createdAt + (hash % HOUR_SECONDS));
  const closedAt = isClosed ? updatedAt : null;
  const timeToClose = isClosed ? updatedAt - createdAt : null;
  return {
    type: 'conversation_statistics',
    time_to_assignment: hash % 600,
    time_to_admin_reply: repliedAt - createdAt,
    time_to_first_close: timeToClose,
    time_to_last_close: timeToClose,
    median_time_to_reply: hash % HOUR_SECONDS,
    first_contact_reply_at: createdAt,
    first_assignment_at: repliedAt,
    first_admin_reply_at: repliedAt,
    first_close_at: closedAt,
    last_assignment_at: repliedAt,
    last_assignment_admin_reply_at: repliedAt,
    last_contact_reply_at: createdAt,
    last_admin_reply_at: repliedAt,
    last_close_at: closedAt,
    last_closed_by_id: isClosed ? String(world.adminNumber(hash % world.adminCount)) : null,
    count_reopens: hash % 3,
    count_assignments: hash % 4,
    count_conversation_parts: countParts(world, position),
  };
}

function customAttributes(position: number, hash: number): Readonly<Record<string, unknown>> {
  if (position % 3 === 1) return {};
  return {
    'Issue type': 'Billing',
    'order.number': hash % 100_000,
    'Dringlichkeit (1–5)': position % 5 === 0 ? null : position % 5,
    解決済み: hash % 2 === 0,
  };
}

function linkedObjects(position: number) {
  const data =
    position % 20 === 9
      ? [{ type: 'ticket', id: String(7_000 + position), category: 'Customer' }]
      : [];
  return { type: 'list', data, total_count: data.length, has_more: false };
}

function aiAgent(position: number, hash: number) {
  const isRated = hash % 3 === 0;
  return {
    source_type: 'workflow',
    source_title: 'Answer first, then hand over',
    last_answer_type: hash % 4 === 0 ? null : 'ai_answer',
    resolution_state: hash % 4 === 0 ? null : 'assumed_resolution',
    rating: isRated ? 1 + (hash % 5) : null,
    rating_remark: isRated && hash % 2 === 0 ? 'Genau richtig' : null,
    content_sources: {
      type: 'content_source.list',
      total_count: 1,
      content_sources: [
        {
          content_type: 'article',
          url: `https://help.example.com/articles/${String(position % 50)}`,
          title: 'Exporting your data',
          locale: 'en',
        },
      ],
    },
  };
}
