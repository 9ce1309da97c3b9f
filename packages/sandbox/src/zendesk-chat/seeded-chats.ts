import { FIRST_NAMES, LAST_NAMES } from '../invented-names.ts';
import { hash32, pick } from '../seeded-random.ts';
import type { ZendeskRecord } from '../zendesk-support/collection.ts';
import { DAY_SECONDS, isoTime } from '../zendesk-support/times.ts';
import type { Seconds } from '../zendesk-support/times.ts';
import type { SeededItems } from './export-log.ts';
import { agentName, departmentOf } from './seeded-staff.ts';
import { AGENT_LINES, BROWSERS, CITIES, PLATFORMS, VISITOR_LINES } from './words.ts';
import type { ChatWorld } from './world.ts';

/** Digits in the order in which texts compare, so that ids sort as the positions they encode. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TAIL_DIGITS = 10;
const TAIL_NOISE = 4_096;
/** So many chats at most were changed in one second: more than fit on a page. */
const MAX_BULK_CHATS = 2_500;

/**
 * Chats in the order of their last change. Almost a third of them were changed in one second.
 *
 * @see https://developer.zendesk.com/api-reference/live-chat/chat-api/chats/
 */
export function seededChats(world: ChatWorld): SeededItems {
  return {
    count: world.counts.chats,
    placeAt: (position) => ({ time: changedAt(world, position), id: chatId(world, position) }),
    recordAt: (position) => chatAt(world, position),
    changed: (record, time) => ({
      ...record,
      update_timestamp: isoTime(time),
      comment: 'Changed while paging',
    }),
    added: (record, time) => ({
      ...record,
      timestamp: isoTime(time),
      update_timestamp: isoTime(time),
    }),
    deleted: (record, time) => ({ ...record, update_timestamp: isoTime(time), deleted: true }),
    movesWhenChanged: true,
  };
}

/** The position that a chat id was made of; undefined for any other text. */
export function chatPosition(world: ChatWorld, id: string): number | undefined {
  const tail = /\.S([0-9A-Za-z]+)$/.exec(id)?.[1] ?? '';
  let value = 0;
  for (const digit of tail) value = value * DIGITS.length + DIGITS.indexOf(digit);
  const position = Math.floor(value / TAIL_NOISE);
  return chatId(world, position) === id ? position : undefined;
}

function chatId(world: ChatWorld, position: number): string {
  const month = isoTime(endedAt(world, position)).slice(2, 7).replace('-', '');
  let value = position * TAIL_NOISE + (hash32(world.seed, position, 90) % TAIL_NOISE);
  let tail = '';
  for (let nth = 0; nth < TAIL_DIGITS; nth += 1) {
    tail = `${DIGITS[value % DIGITS.length] ?? '0'}${tail}`;
    value = Math.floor(value / DIGITS.length);
  }
  return `${month}.${String(world.accountId)}.S${tail}`;
}

/** When a chat ended; never before the one in front of it. */
function endedAt(world: ChatWorld, position: number): Seconds {
  const { chats: count } = world.counts;
  if (position >= count) return world.endsAt;
  // Now and then two chats end in the same second.
  const shared = position % 10 === 4 ? position - 1 : position;
  const step = (world.endsAt - world.startsAt - DAY_SECONDS) / count;
  return world.startsAt + DAY_SECONDS + Math.floor(shared * step);
}

function changedAt(world: ChatWorld, position: number): Seconds {
  const { chats } = world.counts;
  const first = Math.floor(chats * 0.4);
  const end = first + Math.min(MAX_BULK_CHATS, Math.floor(chats * 0.3));
  const isBulk = position >= first && position < end;
  return endedAt(world, isBulk ? end - 1 : position);
}

function chatAt(world: ChatWorld, position: number): ZendeskRecord {
  const hash = hash32(world.seed, position, 91);
  const isOffline = position % 12 === 7;
  const duration = isOffline ? 0 : 60 + (hash % 1_500);
  const startedAt = endedAt(world, position) - duration;
  const department = hash % 7 === 0 ? undefined : departmentOf(world, hash);
  const visitor = visitorOf(world, position);
  const shared = {
    id: chatId(world, position),
    type: isOffline ? 'offline_msg' : 'chat',
    timestamp: isoTime(startedAt),
    update_timestamp: isoTime(changedAt(world, position)),
    department_id: department?.id ?? null,
    department_name: department?.name ?? null,
    visitor,
    session: sessionOf(world, position, { startedAt, duration }),
    tags: hash % 3 === 0 ? ['lantern', 'größe'] : [],
    unread: hash % 11 === 0,
    deleted: false,
    zendesk_ticket_id: hash % 2 === 0 ? 1 + (position % world.counts.chats) : null,
  };
  if (isOffline) {
    const message = pick(VISITOR_LINES, hash >>> 4);
    return { ...shared, duration: null, message, webpath: [], referrer_search_engine: '' };
  }
  return { ...shared, ...talkOf(world, position, { startedAt, duration, department }) };
}

interface Talk {
  readonly startedAt: Seconds;
  readonly duration: number;
  readonly department: { readonly id: number; readonly name: string } | undefined;
}

function talkOf(world: ChatWorld, position: number, talk: Talk): ZendeskRecord {
  const { startedAt, duration, department } = talk;
  const hash = hash32(world.seed, position, 92);
  const isMissed = position % 9 === 5;
  const agent = hash % world.counts.agents;
  const agentId = String(world.ids.agents.idAt(agent));
  const name = agentName(world, agent);
  const lines = isMissed ? 1 : 2 + (hash % 4);
  const agentLines = isMissed ? 0 : Math.floor(lines / 2);
  const count = { total: lines, agent: agentLines, visitor: lines - agentLines };
  const responseTime = isMissed
    ? { first: null, avg: null, max: null }
    : { first: hash % 60, avg: (hash % 600) / 10, max: hash % 120 };
  const rating = isMissed ? null : pick([null, 'good', 'bad', null] as const, hash >>> 5);
  const comment = rating === 'bad' ? 'It took too long' : null;
  const startedBy = hash % 6 === 0 ? 'agent' : 'visitor';
  return {
    duration,
    agent_ids: isMissed ? [] : [agentId],
    agent_names: isMissed ? [] : [name],
    history: historyOf(world, position, { ...talk, lines, agent, rating }),
    engagements: isMissed
      ? []
      : [
          {
            id: `${chatId(world, position)}.0`,
            agent_id: agentId,
            agent_name: name,
            agent_full_name: name,
            department_id: department?.id ?? null,
            timestamp: isoTime(startedAt + 5),
            duration: duration - 5 + 0.25,
            accepted: true,
            assigned: hash % 2 === 0,
            started_by: startedBy,
            rating,
            comment,
            count,
            response_time: responseTime,
            skills_requested: hash % 4 === 0 ? [world.ids.skills.idAt(0)] : [],
            skills_fulfilled: hash % 4 === 0,
          },
        ],
    conversions:
      hash % 10 === 0
        ? [
            {
              id: `${chatId(world, position)}.c`,
              goal_id: world.ids.goals.idAt(0),
              goal_name: 'Order placed',
              timestamp: isoTime(startedAt + duration),
              attribution: {
                agent_id: Number(agentId),
                agent_name: name,
                department_id: department?.id ?? null,
                department_name: department?.name ?? null,
                chat_timestamp: isoTime(startedAt),
              },
            },
          ]
        : [],
    count,
    response_time: responseTime,
    rating,
    comment,
    started_by: startedBy,
    triggered: hash % 5 === 0,
    triggered_response: hash % 10 === 0,
    missed: isMissed,
    message: null,
    webpath: [
      {
        from: '',
        timestamp: isoTime(startedAt - 30),
        to: 'https://shop.example.com/',
        title: 'Shop',
      },
    ],
  };
}

interface TalkInFull extends Talk {
  readonly lines: number;
  readonly agent: number;
  readonly rating: string | null;
}

function historyOf(world: ChatWorld, position: number, talk: TalkInFull): readonly ZendeskRecord[] {
  const { startedAt, lines, agent, department, rating } = talk;
  const visitorName = String(visitorOf(world, position)['name']);
  const join = {
    type: 'chat.memberjoin',
    name: visitorName,
    nick: 'visitor',
    channel: '#global',
    timestamp: isoTime(startedAt),
    department_id: department?.id ?? null,
    department_name: department?.name ?? null,
  };
  const messages = Array.from({ length: lines }, (_, nth) => {
    const isVisitor = nth % 2 === 0;
    const hash = hash32(world.seed, position * 8 + nth, 93);
    return {
      type: 'chat.msg',
      timestamp: isoTime(startedAt + 10 + nth * 12),
      name: isVisitor ? visitorName : agentName(world, agent),
      nick: isVisitor ? 'visitor' : `agent:${String(world.ids.agents.idAt(agent))}`,
      msg: isVisitor ? pick(VISITOR_LINES, hash) : pick(AGENT_LINES, hash),
      msg_id: String(1_000_000 + position * 8 + nth),
      channel: '#global',
      options: '',
    };
  });
  if (rating === null) return [join, ...messages];
  const rated = {
    type: 'chat.rating',
    timestamp: isoTime(startedAt + 10 + lines * 12),
    name: visitorName,
    nick: 'visitor',
    rating: null,
    new_rating: rating,
  };
  return [join, ...messages, rated];
}

function visitorOf(world: ChatWorld, position: number): ZendeskRecord {
  const hash = hash32(world.seed, position, 94);
  const isKnown = hash % 3 !== 0;
  const name = `${pick(FIRST_NAMES, hash >>> 2)} ${pick(LAST_NAMES, hash >>> 9)}`;
  return {
    id: `${String(world.accountId)}.v${hash.toString(36)}`,
    name: isKnown ? name : `Visitor ${String(10_000_000 + (hash % 90_000_000))}`,
    email: isKnown ? `visitor${String(hash % 100_000)}@example.com` : '',
    phone: '',
    notes: hash % 5 === 0 ? 'Prefers e-mail' : '',
  };
}

function sessionOf(
  world: ChatWorld,
  position: number,
  { startedAt, duration }: { readonly startedAt: Seconds; readonly duration: number },
): ZendeskRecord {
  const hash = hash32(world.seed, position, 95);
  const { city, region, code, country } = pick(CITIES, hash);
  const browser = pick(BROWSERS, hash >>> 3);
  const platform = pick(PLATFORMS, hash >>> 6);
  return {
    id: `${isoTime(startedAt).slice(2, 10).replaceAll('-', '')}.${String(world.accountId)}.${hash.toString(36)}`,
    browser,
    platform,
    user_agent: `Mozilla/5.0 (${platform}) ${browser}/130.0`,
    ip: `198.51.100.${String(hash % 256)}`,
    city,
    region,
    country_code: code,
    country_name: country,
    start_date: isoTime(startedAt - 60),
    end_date: isoTime(startedAt + duration),
  };
}
