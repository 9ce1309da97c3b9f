import { FIRST_NAMES, LAST_NAMES } from '../invented-names.ts';
import { hash32, pick } from '../seeded-random.ts';
import { skewedWords } from '../skewed-words.ts';
import {
  BROWSERS,
  CAMPAIGNS,
  COMPANY_FORMS,
  INTERESTS,
  JOB_TITLES,
  PLACES,
  TAG_NAMES,
} from './words.ts';
import { CONTACT_SALT, NOTE_SALT } from './world.ts';
import type { World } from './world.ts';

const DAY_SECONDS = 86_400;
/** Lists inside a contact show ten entries at most. */
const MAX_SHOWN = 10;
const LONG_TEXT = 'A very long remark that somebody pasted from a document. 長いメモ 📄 '.repeat(
  300,
);
const LONG_NAME = `Wolfe${'schlegelstein'.repeat(18)} hausenbergerdorff`;

/** Many have the names of the first ranks; of a million contacts some names are one's alone. */
const FIRSTS = skewedWords(FIRST_NAMES, { size: 3_000, salt: 0x51 });
const LASTS = skewedWords(LAST_NAMES, { size: 40_000, salt: 0x52 });
const EMPLOYERS = skewedWords([], { size: 20_000, salt: 0x53 });
const NO_PLACE = {
  country: null,
  region: null,
  city: null,
  country_code: null,
  continent_code: null,
};

/** A contact in full, as every endpoint gives it. */
export type IntercomContact = ReturnType<typeof seededContact>;

/**
 * The contact at a position, the same one every time.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/contact
 */
export function seededContact(world: World, position: number) {
  const hash = hash32(world.seed, position, CONTACT_SALT + 10);
  const more = hash32(world.seed, position, CONTACT_SALT + 11);
  const createdAt = world.createdAt(position, world.contactCount);
  const updatedAt = world.updatedAt(position, createdAt, CONTACT_SALT);
  const id = world.objectId(position, createdAt, CONTACT_SALT);
  const person = personAt(world, position);
  const isLead = position % 9 === 4;
  const isVisitor = isLead && hash % 2 === 0;
  const lastSeenAt = hash % 11 === 0 ? null : updatedAt - (more % DAY_SECONDS);
  const browser = (hash >>> 5) % 4 === 0 ? undefined : pick(BROWSERS, hash >>> 7);
  const campaign = (hash >>> 9) % 3 === 0 ? pick(CAMPAIGNS, hash >>> 11) : undefined;
  const hasAndroid = (hash >>> 13) % 4 === 0;
  const hasIos = (hash >>> 15) % 4 === 0;
  const hasSms = (hash >>> 17) % 3 === 0;
  const occasionally = (at: number, odds: number) =>
    (more >>> at) % odds === 0 ? updatedAt : null;
  return {
    type: 'contact',
    id,
    workspace_id: world.workspaceId,
    external_id: isLead ? null : `user-${String(position)}`,
    role: isLead ? 'lead' : 'user',
    email: isVisitor ? null : emailOf(position, hash, person),
    phone: hasSms ? `+1202555${String(100 + (more % 100)).padStart(4, '0')}` : null,
    name: isVisitor ? null : nameOf(position, person),
    avatar: avatarOf(position, hash),
    owner_id: more % 4 === 0 ? world.adminNumber(more % world.adminCount) : null,
    social_profiles: { type: 'list', data: socialProfiles(position, hash) },
    has_hard_bounced: (more >>> 3) % 40 === 0,
    marked_email_as_spam: (more >>> 5) % 60 === 0,
    unsubscribed_from_emails: (more >>> 7) % 12 === 0,
    created_at: createdAt,
    updated_at: updatedAt,
    signed_up_at: isLead ? null : createdAt - (hash % (30 * DAY_SECONDS)),
    last_seen_at: lastSeenAt,
    last_replied_at: occasionally(9, 3),
    last_contacted_at: occasionally(11, 2),
    last_email_opened_at: occasionally(13, 4),
    last_email_clicked_at: occasionally(15, 8),
    language_override: (more >>> 17) % 10 === 0 ? 'de' : null,
    browser: browser?.name ?? null,
    browser_version: browser?.version ?? null,
    browser_language: browser?.language ?? null,
    os: browser?.os ?? null,
    location: {
      type: 'location',
      ...(browser === undefined ? NO_PLACE : pick(PLACES, hash >>> 19)),
    },
    android_app_name: hasAndroid ? 'Lantern' : null,
    android_app_version: hasAndroid ? `5.${String(more % 20)}.0` : null,
    android_device: hasAndroid ? 'Pixel 9' : null,
    android_os_version: hasAndroid ? '15' : null,
    android_sdk_version: hasAndroid ? '16.1.0' : null,
    android_last_seen_at: hasAndroid ? lastSeenAt : null,
    ios_app_name: hasIos ? 'Lantern' : null,
    ios_app_version: hasIos ? `5.${String(more % 20)}.1` : null,
    ios_device: hasIos ? 'iPhone17,2' : null,
    ios_os_version: hasIos ? '18.1.1' : null,
    ios_sdk_version: hasIos ? '18.3.0' : null,
    ios_last_seen_at: hasIos ? lastSeenAt : null,
    custom_attributes: customAttributes(position, more, person),
    tags: addressable(id, 'tags', tagReferences(world, position, hash)),
    notes: addressable(id, 'notes', noteReferences(world, position)),
    companies: addressable(id, 'companies', companyReferences(world, position, more)),
    opted_out_subscription_types: addressable(id, 'subscriptions', subscriptions(hash % 7 === 0)),
    opted_in_subscription_types: addressable(id, 'subscriptions', subscriptions(hash % 5 === 0)),
    utm_campaign: campaign?.campaign ?? null,
    utm_content: campaign?.content ?? null,
    utm_medium: campaign?.medium ?? null,
    utm_source: campaign?.source ?? null,
    utm_term: campaign?.term ?? null,
    referrer: campaign === undefined ? null : 'https://www.example.com/pricing?from=search',
    sms_consent: hasSms && more % 2 === 0,
    unsubscribed_from_sms: hasSms && more % 5 === 0,
  };
}

/** What of a contact is words, of which some are common and most are rare. */
interface Person {
  readonly first: string;
  /** Of one contact in eight also a second one. */
  readonly last: readonly string[];
  readonly employer: string;
}

function personAt(world: World, position: number): Person {
  const hashOf = (purpose: number) => hash32(world.seed, position, CONTACT_SALT + purpose);
  const last = LASTS.pick(hashOf(13));
  const second = LASTS.pick(hashOf(14));
  return {
    first: FIRSTS.pick(hashOf(12)),
    last: hashOf(15) % 8 === 0 ? [last, second] : [last],
    employer: EMPLOYERS.pick(hashOf(16)),
  };
}

/** The email address of the contact at a position; anonymous visitors are given none. */
function emailOf(position: number, hash: number, { first, last, employer }: Person): string {
  const host = hash % 3 === 0 ? 'example.com' : `${lettersOf(employer)}.example`;
  return `${lettersOf(first)}.${lettersOf(last[0] ?? '')}.${String(position)}@${host}`;
}

function nameOf(position: number, { first, last }: Person): string {
  if (position % 499 === 23) return LONG_NAME;
  return [first, ...last].join(' ');
}

function lettersOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}

function avatarOf(position: number, hash: number) {
  // Some have the object without a picture in it.
  if (hash % 3 === 1) return { type: 'avatar', image_url: null };
  if (hash % 3 === 2) return null;
  const image_url = `https://static.example.com/avatars/${String(position % 500)}.png`;
  return { type: 'avatar', image_url };
}

function socialProfiles(position: number, hash: number) {
  if (hash % 8 !== 0) return [];
  const url = `https://social.example.com/${String(position)}`;
  return [{ type: 'social_profile', name: 'Mastodon', url }];
}

/** Attributes that break code which splits names at dots, trusts ASCII or expects one type. */
function customAttributes(
  position: number,
  hash: number,
  { employer }: Person,
): Readonly<Record<string, unknown>> {
  switch (position % 8) {
    case 0:
      return {};
    case 1:
      return { 'plan.tier': 'gold', 'plan.seats': hash % 500, is_paying: true };
    case 2:
      return { größe: (hash % 1_000) / 8, 会社: 'ハリネズミ商店', 'emoji 🎈': null };
    case 3:
      return { 'monthly spend (€)': 0.1 + (hash % 100), last_import_at: 1_700_000_000 + position };
    default:
      return {
        paid_subscriber: hash % 2 === 0,
        team_mates: hash % 40,
        favourite_word: hash % 3 === 0 ? null : 'lantern',
        company: `${employer} ${pick(COMPANY_FORMS, hash >>> 4)}`,
        job_title: pick(JOB_TITLES, hash >>> 6),
        interests: [pick(INTERESTS, hash >>> 10), pick(INTERESTS, hash >>> 14)],
        ...(position % 211 === 17 ? { biography: LONG_TEXT } : {}),
      };
  }
}

interface Reference {
  readonly type: string;
  readonly id: string;
  readonly url: string;
}

function addressable(contactId: string, name: string, all: readonly Reference[]) {
  return {
    type: 'list',
    data: all.length > MAX_SHOWN ? all.slice(0, MAX_SHOWN) : all,
    url: `/contacts/${contactId}/${name}`,
    total_count: all.length,
    has_more: all.length > MAX_SHOWN,
  };
}

const NO_REFERENCES: readonly Reference[] = [];

function references(count: number, referenceAt: (nth: number) => Reference): readonly Reference[] {
  return count === 0 ? NO_REFERENCES : Array.from({ length: count }, (_, nth) => referenceAt(nth));
}

function tagReferences(world: World, position: number, hash: number): readonly Reference[] {
  const count = position % 61 === 7 ? 12 : hash % 3;
  const first = hash % TAG_NAMES.length;
  return references(count, (nth) => {
    const id = world.tagId((first + nth) % TAG_NAMES.length);
    return { type: 'tag', id, url: `/tags/${id}` };
  });
}

function noteReferences(world: World, position: number): readonly Reference[] {
  const count = position % 10 === 3 ? 1 + (position % 2) : 0;
  return references(count, (nth) => {
    const id = String(hash32(world.seed, position * 2 + nth, NOTE_SALT));
    return { type: 'note', id, url: `/notes/${id}` };
  });
}

function companyReferences(world: World, position: number, hash: number): readonly Reference[] {
  const count = position % 61 === 8 ? Math.min(12, world.companyCount) : hash % 3 === 0 ? 0 : 1;
  const first = hash % world.companyCount;
  return references(count, (nth) => {
    const id = world.companyId((first + nth) % world.companyCount);
    return { type: 'company', id, url: `/companies/${id}` };
  });
}

const SUBSCRIPTION: readonly Reference[] = [
  { type: 'subscription', id: '91', url: '/subscription_types/91' },
];

function subscriptions(hasOne: boolean): readonly Reference[] {
  return hasOne ? SUBSCRIPTION : NO_REFERENCES;
}
