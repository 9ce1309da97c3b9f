import type { BucketRule, BucketUse } from '../token-buckets.ts';

/**
 * Slack's rate tiers. The rates are Slack's published minimums per minute, method, app and
 * workspace; the bursts are ours, since Slack only says that they are tolerated.
 *
 * @see https://docs.slack.dev/apis/web-api/rate-limits
 */
const RATE_TIERS = {
  tier2: { capacity: 20, perSecond: 20 / 60 },
  tier3: { capacity: 50, perSecond: 50 / 60 },
  tier4: { capacity: 100, perSecond: 100 / 60 },
  /** conversations.history and .replies: tier 3, but for some apps far less. */
  messages: { capacity: 50, perSecond: 50 / 60 },
  /** auth.test: hundreds per minute. */
  identity: { capacity: 300, perSecond: 300 / 60 },
  /** chat.postMessage over the whole workspace: several hundred per minute. */
  posting: { capacity: 300, perSecond: 300 / 60 },
} as const satisfies Record<string, BucketRule>;

/** The name of a tier. */
export type RateTier = keyof typeof RATE_TIERS;

/** How an app reaches workspaces: inside one organization, sold outside the Marketplace, or in it. */
export type SlackDistribution = 'internal' | 'distributed' | 'marketplace';

/** What Slack lets an app do by the way that it is distributed. */
export interface AppLimits {
  readonly rules: Readonly<Record<RateTier, BucketRule>>;
  /** The largest page of messages, and also the default where that is larger. */
  readonly mostMessages: number;
}

const USUAL_LIMITS: AppLimits = { rules: RATE_TIERS, mostMessages: 1_000 };

/** @see https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps */
export const APP_LIMITS: Readonly<Record<SlackDistribution, AppLimits>> = {
  internal: USUAL_LIMITS,
  marketplace: USUAL_LIMITS,
  distributed: {
    rules: { ...RATE_TIERS, messages: { capacity: 1, perSecond: 1 / 60 } },
    mostMessages: 15,
  },
};

/** chat.postMessage: one per second in each channel, with a short burst. */
const POSTING_PER_CHANNEL: BucketRule = { capacity: 3, perSecond: 1 };

/** The buckets that one call takes a token from. */
export function bucketsOf(
  tier: RateTier,
  { rules }: AppLimits,
  call: { readonly method: string; readonly app: string; readonly channel: string | undefined },
): readonly BucketUse[] {
  const method = { key: `${call.method} ${call.app}`, rule: rules[tier] };
  if (tier !== 'posting' || call.channel === undefined) return [method];
  const key = `${call.method} ${call.channel} ${call.app}`;
  return [method, { key, rule: POSTING_PER_CHANNEL }];
}
