import { hash32 } from '../seeded-random.ts';
import { IdSpace } from './id-space.ts';
import { DAY_SECONDS } from './times.ts';
import type { Seconds } from './times.ts';

/** Everything the seeded account is a function of. */
export interface SupportWorldOptions {
  readonly seed: number;
  readonly scale: number;
  /** Milliseconds since 1970. */
  readonly dataEndsAt: number;
  /** What stands for `https://{subdomain}.zendesk.com`, without a trailing slash. */
  readonly siteUrl: string;
}

/** Comments, audits and attachments are numbered inside their ticket, at most this many. */
export const MAX_EVENTS_PER_TICKET = 512;
export const MAX_FILES_PER_COMMENT = 4;
export const MAX_FILES_PER_ARTICLE = 256;

export const ADMIN_COUNT = 3;
export const BRAND_COUNT = 3;
export const FORM_COUNT = 4;

const HISTORY_DAYS = 900;
/** The first ticket is younger than the account. */
const ACCOUNT_AGE_DAYS = 1_000;

/** What is fixed before any record is made: counts, ids, times and addresses. */
export class SupportWorld {
  readonly seed: number;
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly startsAt: Seconds;
  readonly endsAt: Seconds;
  readonly counts: Readonly<Record<SupportEntity, number>>;
  /** Agents and admins come first among the users. */
  readonly agentCount: number;
  readonly ids: Readonly<Record<NumberedEntity, IdSpace>>;

  constructor({ seed, scale, dataEndsAt, siteUrl }: SupportWorldOptions) {
    this.seed = seed;
    this.siteUrl = siteUrl;
    this.apiUrl = `${siteUrl}/api/v2`;
    this.endsAt = Math.floor(dataEndsAt / 1_000);
    this.startsAt = this.endsAt - HISTORY_DAYS * DAY_SECONDS;
    this.agentCount = between(8, Math.round(scale / 100), 400);
    const endUserCount = between(10, Math.round(scale / 3), 300_000);
    this.counts = {
      tickets: scale,
      ticket_metrics: scale,
      satisfaction_ratings: Math.floor((scale + 2) / 5),
      users: this.agentCount + endUserCount,
      organizations: between(5, Math.round(scale / 20), 20_000),
      // Two of every three end users belong to an organization.
      organization_memberships: Math.floor(endUserCount / 3) * 2 + Math.min(2, endUserCount % 3),
      groups: between(4, Math.round(this.agentCount / 4), 60),
      group_memberships: this.agentCount + Math.floor(this.agentCount / 2),
      ticket_fields: 16,
      ticket_forms: FORM_COUNT,
      brands: BRAND_COUNT,
      views: 14,
      macros: between(12, Math.round(scale / 20), 400),
      triggers: 18,
      automations: 7,
      sla_policies: 4,
      tags: between(20, Math.round(scale / 4), 20_000),
      articles: between(12, Math.round(scale / 10), 10_000),
    };
    const space = (salt: number, stride: number) =>
      new IdSpace({ seed, salt, first: 10_000_000_000_000 + salt * 100_000_000_000, stride });
    this.ids = {
      ticket_metrics: space(1, 3),
      satisfaction_ratings: space(2, 20),
      users: space(3, 20),
      organizations: space(4, 20),
      organization_memberships: space(5, 20),
      groups: space(6, 20),
      group_memberships: space(7, 20),
      ticket_fields: space(8, 20),
      ticket_forms: space(9, 20),
      brands: space(10, 20),
      views: space(11, 20),
      macros: space(12, 20),
      triggers: space(13, 20),
      automations: space(14, 20),
      sla_policies: space(15, 20),
      articles: space(16, 20),
      article_attachments: space(17, 8),
      attachments: space(18, 4),
      ticket_audits: space(19, 8),
      ticket_comments: space(20, 8),
    };
  }

  /**
   * When the record at a position among `count` ones was created: never before the one in front of
   * it, and now and then in the same second.
   */
  createdAt(position: number, count: number): Seconds {
    const shared = position % 10 === 4 ? position - 1 : position;
    const step = (HISTORY_DAYS * DAY_SECONDS - DAY_SECONDS) / count;
    const jitter = hash32(this.seed, shared, 30) / 0x1_0000_0000;
    const at = this.startsAt + Math.floor(Math.min(shared + jitter, count) * step);
    // Records that come after the seeded ones are spaced by seconds.
    return shared < count ? at : this.endsAt + (shared - count);
  }

  /** When the record was last changed: within weeks, or together with others in a bulk update. */
  updatedAt(position: number, count: number): Seconds {
    const created = this.createdAt(position, count);
    if (position >= count) return created;
    const later = created + (hash32(this.seed, position, 31) % (18 * DAY_SECONDS));
    const isBulk = position % 7 === 3;
    const at = isBulk ? Math.ceil(later / (30 * DAY_SECONDS)) * 30 * DAY_SECONDS : later;
    return Math.max(created, Math.min(at, this.endsAt));
  }

  /** When the nth setting of the account was made: early in the life of the account. */
  setUpAt(position: number): Seconds {
    return this.endsAt - ACCOUNT_AGE_DAYS * DAY_SECONDS + position * 7_200;
  }
}

/** The entities that are lists of their own. */
export type SupportEntity =
  | Exclude<
      NumberedEntity,
      'article_attachments' | 'attachments' | 'ticket_audits' | 'ticket_comments'
    >
  | 'tickets'
  | 'tags';

/** The entities whose ids are large numbers; tickets are counted from 1, and tags have names. */
export type NumberedEntity =
  | 'ticket_metrics'
  | 'satisfaction_ratings'
  | 'users'
  | 'organizations'
  | 'organization_memberships'
  | 'groups'
  | 'group_memberships'
  | 'ticket_fields'
  | 'ticket_forms'
  | 'brands'
  | 'views'
  | 'macros'
  | 'triggers'
  | 'automations'
  | 'sla_policies'
  | 'articles'
  | 'article_attachments'
  | 'attachments'
  | 'ticket_audits'
  | 'ticket_comments';

function between(min: number, value: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
