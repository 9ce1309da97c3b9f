import { hash32, pick } from '../seeded-random.ts';
import type { SeededRecords, ZendeskRecord } from './collection.ts';
import { externalIdAt, groupIdOf, nameRank, organizationIdOf, tagsFor } from './seeded-people.ts';
import { DAY_SECONDS, isoTime } from './times.ts';
import type { Seconds } from './times.ts';
import { SENTENCES, SUBJECT_ENDS, SUBJECT_STARTS, TAG_WORDS } from './words.ts';
import { BRAND_COUNT, FORM_COUNT } from './world.ts';
import type { SupportWorld } from './world.ts';

const YOUNG_STATUSES = ['new', 'open', 'pending', 'hold', 'open', 'solved', 'open'] as const;
/** Statuses in the order in which the vendor sorts them. */
const STATUSES = ['new', 'open', 'pending', 'hold', 'solved', 'closed'] as const;
const CHANNELS = ['email', 'web', 'api', 'chat', 'mobile_sdk'] as const;
/** The positions of the custom fields among the ticket fields. */
export const CUSTOM_FIELD_POSITIONS = [10, 11, 12, 13, 14, 15] as const;

/** The ticket whose comments do not fit on one page. */
const LONG_TICKET_POSITION = 1;
const LONG_TICKET_COMMENTS = 230;

type TicketStatus = (typeof STATUSES)[number];

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/ */
export function seededTickets(world: SupportWorld): SeededRecords {
  const count = world.counts.tickets;
  return {
    count,
    positionOf: (id) => (Number.isSafeInteger(id) && id > 0 ? id - 1 : undefined),
    recordAt: (position) => ticketAt(world, position),
    sortKeyAt: (name, position) => {
      switch (name) {
        case 'created_at':
          return world.createdAt(position, count);
        case 'updated_at':
          return world.updatedAt(position, count);
        case 'generated_timestamp':
          return generatedAt(world, position);
        case 'status':
          return STATUSES.indexOf(statusAt(world, position));
        case 'subject': {
          const { start, end } = subjectPartsOf(world, position);
          return start * SUBJECT_ENDS.length + end;
        }
        case 'requester':
          return requesterPosition(world, position);
        case 'requester.name':
          return nameRank(world, requesterPosition(world, position));
        case 'assignee':
          return (assigneePosition(world, position) ?? -1) + 1;
        case 'assignee.name': {
          const assignee = assigneePosition(world, position);
          return assignee === undefined ? 0 : nameRank(world, assignee) + 1;
        }
        case 'group': {
          const assignee = assigneePosition(world, position);
          return assignee === undefined ? 0 : (assignee % (world.counts.groups - 1)) + 1;
        }
        default:
          return undefined;
      }
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_metrics/ */
export function seededTicketMetrics(world: SupportWorld): SeededRecords {
  const { ids, counts } = world;
  return {
    count: counts.ticket_metrics,
    positionOf: (id) => ids.ticket_metrics.positionOf(id),
    recordAt: (position) => metricAt(world, position),
  };
}

/**
 * Ratings, of which every fifth ticket has one.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/ticket-management/satisfaction_ratings/
 */
export function seededRatings(world: SupportWorld): SeededRecords {
  const { ids, counts } = world;
  return {
    count: counts.satisfaction_ratings,
    positionOf: (id) => ids.satisfaction_ratings.positionOf(id),
    sortKeyAt: (name, position) => (name === 'updated_at' ? ratedAt(world, position) : undefined),
    recordAt: (position) => {
      const ticket = ratedTicket(position);
      const id = ids.satisfaction_ratings.idAt(position);
      const { score, comment } = ratingAt(position);
      const isBad = score === 'bad';
      const assignee = assigneePosition(world, ticket);
      const at = ratedAt(world, position);
      return {
        url: `${world.apiUrl}/satisfaction_ratings/${String(id)}.json`,
        id,
        assignee_id: assignee === undefined ? null : ids.users.idAt(assignee),
        group_id: assignee === undefined ? null : groupIdOf(world, assignee),
        requester_id: ids.users.idAt(requesterPosition(world, ticket)),
        ticket_id: ticket + 1,
        score,
        created_at: isoTime(at),
        updated_at: isoTime(at),
        comment,
        reason: isBad ? 'The issue took too long to resolve' : null,
        reason_id: isBad ? 100_200_300 : null,
        reason_code: isBad ? 5 : null,
      };
    },
  };
}

/** The score of a rating, and the comment given with it, if any. */
export function ratingAt(position: number) {
  const score = pick(['good', 'bad', 'offered', 'good'], position);
  const isCommented = score !== 'offered' && position % 4 !== 3;
  return { score, comment: isCommented ? pick(SENTENCES, position) : null };
}

/** When a rating was given. */
export function ratedAt(world: SupportWorld, position: number): Seconds {
  return Math.min(
    world.endsAt,
    world.createdAt(ratedTicket(position), world.counts.tickets) + DAY_SECONDS,
  );
}

/**
 * Tags with the number of their uses, the most used first.
 *
 * @see https://developer.zendesk.com/api-reference/ticketing/ticket-management/tags/
 */
export function seededTags(world: SupportWorld): SeededRecords {
  const count = world.counts.tags;
  return {
    count,
    positionOf: () => undefined,
    recordAt: (position) => {
      const word = pick(TAG_WORDS, position);
      const name = position < TAG_WORDS.length ? word : `${word}_${String(position)}`;
      return { name, count: Math.max(1, (count - position) * 3 - (position % 3)) };
    },
  };
}

/** How many comments the ticket at a position has. */
export function commentCount(world: SupportWorld, position: number): number {
  if (position === LONG_TICKET_POSITION) return LONG_TICKET_COMMENTS;
  return 1 + (hash32(world.seed, position, 53) % 6);
}

/** When the nth of a ticket's `of` events happened, between its creation and its last change. */
export function eventAt(
  world: SupportWorld,
  position: number,
  { nth, of }: { readonly nth: number; readonly of: number },
): Seconds {
  const createdAt = world.createdAt(position, world.counts.tickets);
  const updatedAt = world.updatedAt(position, world.counts.tickets);
  return createdAt + Math.floor(((updatedAt - createdAt) * nth) / Math.max(1, of));
}

/** The user position of a ticket's requester, who is an end user. */
export function requesterPosition(world: SupportWorld, position: number): number {
  const { agentCount, counts } = world;
  return agentCount + (hash32(world.seed, position, 51) % (counts.users - agentCount));
}

/** The user position of a ticket's assignee, who is an agent; new tickets have none. */
export function assigneePosition(world: SupportWorld, position: number): number | undefined {
  if (statusAt(world, position) === 'new') return undefined;
  return hash32(world.seed, position, 52) % world.agentCount;
}

/** The `via` of what came in by a channel. */
export function viaOf(channel: string): ZendeskRecord {
  const isEmail = channel === 'email';
  return {
    channel,
    source: {
      from: isEmail ? { address: 'customer@example.com', name: 'A customer' } : {},
      to: isEmail ? { address: 'support@example.com', name: 'Support' } : {},
      rel: null,
    },
  };
}

/** The channel by which the ticket at a position came in. */
export function channelAt(world: SupportWorld, position: number): string {
  return pick(CHANNELS, hash32(world.seed, position, 54));
}

/** The description of a ticket, which is also the text of its first comment. */
export function descriptionAt(world: SupportWorld, position: number): string {
  const hash = hash32(world.seed, position, 55);
  const texts = Array.from({ length: 2 + (hash % 3) }, (_, nth) => pick(SENTENCES, hash + nth * 3));
  return texts.join('\n\n');
}

function ticketAt(world: SupportWorld, position: number): ZendeskRecord {
  const { ids, counts } = world;
  const hash = hash32(world.seed, position, 50);
  const id = position + 1;
  const requester = requesterPosition(world, position);
  const requesterId = ids.users.idAt(requester);
  const assignee = assigneePosition(world, position);
  const status = statusAt(world, position);
  const { start, end } = subjectPartsOf(world, position);
  const subject = `${SUBJECT_STARTS[start] ?? ''} ${SUBJECT_ENDS[end] ?? ''}`;
  const updatedAt = world.updatedAt(position, counts.tickets);
  const type = pick([null, 'question', 'incident', 'problem', 'task'] as const, position);
  const customFields = customFieldsOf(world, hash);
  return {
    url: `${world.apiUrl}/tickets/${String(id)}.json`,
    id,
    external_id: externalIdAt(position),
    via: viaOf(channelAt(world, position)),
    created_at: isoTime(world.createdAt(position, counts.tickets)),
    updated_at: isoTime(updatedAt),
    generated_timestamp: generatedAt(world, position),
    type,
    subject,
    raw_subject: subject,
    description: descriptionAt(world, position),
    priority: pick([null, 'low', 'normal', 'high', 'urgent'] as const, hash >>> 2),
    status,
    recipient: hash % 3 === 0 ? 'support@example.com' : null,
    requester_id: requesterId,
    submitter_id: hash % 4 === 0 ? ids.users.idAt(hash % world.agentCount) : requesterId,
    assignee_id: assignee === undefined ? null : ids.users.idAt(assignee),
    organization_id: organizationIdOf(world, requester),
    group_id: assignee === undefined ? null : groupIdOf(world, assignee),
    collaborator_ids: hash % 5 === 0 ? [ids.users.idAt(0), ids.users.idAt(3)] : [],
    follower_ids: hash % 5 === 0 ? [ids.users.idAt(0)] : [],
    email_cc_ids: hash % 5 === 0 ? [ids.users.idAt(3)] : [],
    forum_topic_id: null,
    problem_id: type === 'incident' && position > 5 ? position - 1 : null,
    has_incidents: type === 'problem',
    is_public: hash % 13 !== 0,
    due_at: type === 'task' ? isoTime(updatedAt + 7 * DAY_SECONDS) : null,
    tags: tagsFor(hash >>> 5),
    custom_fields: customFields,
    satisfaction_rating: satisfactionOf(world, position),
    sharing_agreement_ids: [],
    custom_status_id: 700_100 + STATUSES.indexOf(status),
    encoded_id: `SBX${id.toString(36).toUpperCase().padStart(6, '0')}`,
    fields: customFields,
    followup_ids: status === 'closed' && hash % 17 === 0 && position > 0 ? [position] : [],
    ticket_form_id: ids.ticket_forms.idAt(hash % FORM_COUNT),
    deleted_ticket_form_id: null,
    brand_id: ids.brands.idAt(hash % BRAND_COUNT),
    allow_channelback: hash % 6 === 0,
    allow_attachments: hash % 19 !== 0,
    from_messaging_channel: hash % 8 === 0,
  };
}

/** Whether a bot alone has handled the ticket at a position: exports leave it out unless asked for. */
export function isOfAiAgent(world: SupportWorld, position: number): boolean {
  return hash32(world.seed, position, 50) % 24 === 0;
}

/** `generated_timestamp`, which Zendesk sets for itself a little later than `updated_at`. */
function generatedAt(world: SupportWorld, position: number): Seconds {
  const delay = hash32(world.seed, position, 50) % 60;
  return world.updatedAt(position, world.counts.tickets) + delay;
}

function customFieldsOf(world: SupportWorld, hash: number): readonly ZendeskRecord[] {
  const values = [
    pick([null, 'lantern', 'ember', 'kite'] as const, hash),
    hash % 3 === 0 ? String(hash % 1_000) : null,
    hash % 2 === 0,
    hash % 4 === 0 ? '2025-12-31' : null,
    hash % 5 === 0 ? 'Zoë wrote: "soon", <i>perhaps</i> ✅' : null,
    hash % 6 === 0 ? ['red', 'blue'] : null,
  ];
  return CUSTOM_FIELD_POSITIONS.map((position, nth) => ({
    id: world.ids.ticket_fields.idAt(position),
    value: values[nth] ?? null,
  }));
}

function satisfactionOf(world: SupportWorld, position: number): ZendeskRecord {
  const rating = (position - 2) / 5;
  if (!Number.isInteger(rating)) return { score: 'unoffered' };
  const { score, comment } = ratingAt(rating);
  if (score === 'offered') return { score };
  return {
    id: world.ids.satisfaction_ratings.idAt(rating),
    score,
    comment: comment ?? '',
    ...(score === 'bad'
      ? { reason: 'The issue took too long to resolve', reason_id: 100_200_300 }
      : {}),
  };
}

function metricAt(world: SupportWorld, position: number): ZendeskRecord {
  const { ids, counts } = world;
  const hash = hash32(world.seed, position, 56);
  const id = ids.ticket_metrics.idAt(position);
  const createdAt = world.createdAt(position, counts.tickets);
  const updatedAt = world.updatedAt(position, counts.tickets);
  const status = statusAt(world, position);
  const isAssigned = status !== 'new';
  const isSolved = status === 'solved' || status === 'closed';
  const replies = isAssigned ? commentCount(world, position) - 1 : 0;
  const firstReply = replies === 0 ? null : hash % 500;
  return {
    url: `${world.apiUrl}/ticket_metrics/${String(id)}.json`,
    id,
    ticket_id: position + 1,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    group_stations: isAssigned ? 1 + (hash % 3) : 0,
    assignee_stations: isAssigned ? 1 + (hash % 2) : 0,
    reopens: hash % 11 === 0 ? 1 : 0,
    replies,
    assignee_updated_at: isAssigned ? isoTime(updatedAt) : null,
    requester_updated_at: isoTime(createdAt),
    status_updated_at: isoTime(updatedAt),
    initially_assigned_at: isAssigned ? isoTime(createdAt) : null,
    assigned_at: isAssigned ? isoTime(createdAt) : null,
    solved_at: isSolved ? isoTime(updatedAt) : null,
    latest_comment_added_at: isoTime(updatedAt),
    custom_status_updated_at: isoTime(updatedAt),
    reply_time_in_minutes: minutes(firstReply),
    reply_time_in_seconds: { calendar: firstReply === null ? null : firstReply * 60 },
    first_resolution_time_in_minutes: minutes(isSolved ? 500 + (hash % 9_000) : null),
    full_resolution_time_in_minutes: minutes(isSolved ? 600 + (hash % 9_000) : null),
    agent_wait_time_in_minutes: minutes(hash % 700),
    requester_wait_time_in_minutes: minutes(hash % 1_300),
    on_hold_time_in_minutes: minutes(status === 'hold' ? hash % 90 : 0),
  };
}

/** A duration in minutes, and how much of it was in business hours. */
function minutes(calendar: number | null) {
  return { calendar, business: calendar === null ? null : Math.floor(calendar / 3) };
}

function statusAt(world: SupportWorld, position: number): TicketStatus {
  // By position, not by hash: the smallest account, too, has tickets of several statuses.
  const isOld = position < world.counts.tickets * 0.4;
  if (isOld) return position % 5 === 0 ? 'solved' : 'closed';
  return YOUNG_STATUSES[position % YOUNG_STATUSES.length] ?? 'open';
}

function subjectPartsOf(world: SupportWorld, position: number) {
  const hash = hash32(world.seed, position, 57);
  return { start: hash % SUBJECT_STARTS.length, end: (hash >>> 8) % SUBJECT_ENDS.length };
}

function ratedTicket(ratingPosition: number): number {
  return ratingPosition * 5 + 2;
}
