import { hash32, pick } from '../seeded-random.ts';
import { seededContact } from './seeded-contacts.ts';
import type { IntercomContact } from './seeded-contacts.ts';
import { adminName } from './seeded-directory.ts';
import { ADMIN_SENTENCES, CONTACT_SENTENCES } from './words.ts';
import { CONVERSATION_SALT } from './world.ts';
import type { World } from './world.ts';

/** Intercom never shows more parts than this, and leaves the oldest out. */
const MAX_PARTS = 500;
/** This conversation has more parts than Intercom shows. */
const LONG_CONVERSATION = 5;
const LONG_CONVERSATION_PARTS = 520;

/** How many parts the conversation at a position has. */
export function countParts(world: World, position: number): number {
  if (position === LONG_CONVERSATION) return LONG_CONVERSATION_PARTS;
  return hash32(world.seed, position, CONVERSATION_SALT + 20) % 9;
}

/** The contact that the conversation at a position is with. */
export function conversationContact(world: World, position: number): IntercomContact {
  const hash = hash32(world.seed, position, CONVERSATION_SALT + 30);
  return seededContact(world, hash % world.contactCount);
}

/** The parts that retrieving a conversation shows: its latest 500, oldest first. */
export function seededParts(world: World, position: number) {
  const count = countParts(world, position);
  const skipped = Math.max(0, count - MAX_PARTS);
  const parts = Array.from({ length: count - skipped }, (_, nth) =>
    seededPart(world, position, nth + skipped),
  );
  return { type: 'conversation_part.list', conversation_parts: parts, total_count: count };
}

function seededPart(world: World, position: number, nth: number) {
  const hash = hash32(world.seed, position * 1_000 + nth, CONVERSATION_SALT + 21);
  const createdAt = partTime(world, position, nth);
  const admin = position % world.adminCount;
  const isByAdmin = nth % 2 === 0;
  const type = isByAdmin ? pick(['comment', 'assignment', 'note', 'close'], hash) : 'comment';
  const sentences = isByAdmin ? ADMIN_SENTENCES : CONTACT_SENTENCES;
  return {
    type: 'conversation_part',
    id: String(1_000_000_000 + position * 1_000 + nth),
    part_type: type,
    body: type === 'assignment' ? null : pick(sentences, hash >>> 3),
    created_at: createdAt,
    updated_at: createdAt,
    notified_at: createdAt,
    assigned_to:
      type === 'assignment' ? { type: 'admin', id: String(world.adminNumber(admin)) } : null,
    author: isByAdmin ? adminAuthor(world, admin) : contactAuthor(world, position),
    attachments: [],
    external_id: hash % 9 === 0 ? `mail-${String(hash)}` : null,
    redacted: hash % 50 === 0,
  };
}

/** Parts fill the time of a conversation; several may fall in one second. */
function partTime(world: World, position: number, nth: number): number {
  const createdAt = world.createdAt(position, world.conversationCount);
  const updatedAt = world.updatedAt(position, createdAt, CONVERSATION_SALT);
  const share = (nth + 1) / countParts(world, position);
  return createdAt + Math.floor((updatedAt - createdAt) * share);
}

function adminAuthor(world: World, admin: number) {
  return {
    type: 'admin',
    id: String(world.adminNumber(admin)),
    name: adminName(world, admin),
    email: `admin.${String(admin)}@example.com`,
  };
}

function contactAuthor(world: World, position: number) {
  const { role, id, name, email } = conversationContact(world, position);
  return { type: role, id, name, email: email ?? '' };
}
