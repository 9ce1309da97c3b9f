import { hash32, pick } from '../seeded-random.ts';
import { seededSegments, seededTags } from './seeded-directory.ts';
import { COMPANY_WORDS, INDUSTRIES, PLANS } from './words.ts';
import { COMPANY_SALT } from './world.ts';
import type { World } from './world.ts';

const REQUESTS_SECONDS = 180 * 86_400;

/** A company in full. Fields that were never set are left out, as Intercom does. */
export type IntercomCompany = ReturnType<typeof seededCompany>;

/**
 * The company at a position, the same one every time. Intercom lists companies by
 * `last_request_at`, which grows with the position here, so that lists need no sorting.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/companies/company
 */
export function seededCompany(world: World, position: number) {
  const hash = hash32(world.seed, position, COMPANY_SALT + 10);
  const createdAt = world.createdAt(position, world.companyCount);
  const lastRequestAt = lastRequest(world, position);
  return {
    type: 'company',
    company_id: `account-${String(position)}`,
    id: world.objectId(position, createdAt, COMPANY_SALT),
    app_id: world.workspaceId,
    name: `${pick(COMPANY_WORDS, hash)} ${String(position)}`,
    remote_created_at: createdAt - (hash % 86_400),
    created_at: createdAt,
    updated_at: world.updatedAt(position, createdAt, COMPANY_SALT),
    ...(lastRequestAt === undefined ? {} : { last_request_at: lastRequestAt }),
    monthly_spend: hash % 4 === 0 ? 0 : hash % 10_000,
    session_count: (hash >>> 3) % 2_000,
    user_count: 1 + ((hash >>> 5) % 300),
    ...((hash >>> 7) % 3 === 0 ? {} : { size: 1 + ((hash >>> 9) % 5_000) }),
    ...((hash >>> 11) % 4 === 0
      ? {}
      : { website: `https://company-${String(position)}.example.com` }),
    ...((hash >>> 13) % 4 === 0 ? {} : { industry: pick(INDUSTRIES, hash >>> 15) }),
    tags: { type: 'tag.list', tags: tagsOf(world, hash) },
    segments: { type: 'segment.list', segments: segmentsOf(world, hash) },
    plan: (hash >>> 17) % 3 === 0 ? {} : { type: 'plan', ...pick(PLANS, hash >>> 19) },
    custom_attributes: customAttributes(position, hash),
  };
}

function lastRequest(world: World, position: number): number | undefined {
  const { companyCount: count, endsAt } = world;
  if (position < Math.floor(count / 20)) return undefined;
  const anchor = position - (position % 2);
  return endsAt - REQUESTS_SECONDS + Math.floor((anchor / count) * REQUESTS_SECONDS);
}

function tagsOf(world: World, hash: number) {
  const tags = seededTags(world);
  return tags.filter((_, nth) => (hash >>> nth) % 8 === 0).slice(0, 2);
}

function segmentsOf(world: World, hash: number) {
  return seededSegments(world).filter((_, nth) => (hash >>> (nth + 4)) % 4 === 0);
}

function customAttributes(position: number, hash: number): Readonly<Record<string, unknown>> {
  if (position % 4 === 0) return {};
  return {
    paid_subscriber: hash % 2 === 0,
    monthly_spend: (hash % 10_000) / 4,
    'crm.owner': position % 4 === 1 ? 'Zörbin' : null,
    顧客番号: String(hash),
  };
}
