import type { BucketRule, BucketUse } from '../token-buckets.ts';

/**
 * Slack's rate tiers. The rates are Slack's published minimums per minute, method, app and
 * workspace; the bursts are ours, since Slack only says that they are tolerated.
 *
 * @see https://docs.slack.dev/apis/web-api/rate-limits
 */
export const RATE_TIERS = {
  tier2: { capacity: 20, perSecond: 20 / 60 },
  tier3: { capacity: 50, perSecond: 50 / 60 },
  tier4: { capacity: 100, perSecond: 100 / 60 },
  /** auth.test: hundreds per minute. */
  identity: { capacity: 300, perSecond: 300 / 60 },
  /** chat.postMessage over the whole workspace: several hundred per minute. */
  posting: { capacity: 300, perSecond: 300 / 60 },
} as const satisfies Record<string, BucketRule>;

/** The name of a tier. */
export type RateTier = keyof typeof RATE_TIERS;

/** chat.postMessage: one per second in each channel, with a short burst. */
const POSTING_PER_CHANNEL: BucketRule = { capacity: 3, perSecond: 1 };

/** The buckets that one call takes a token from. */
export function bucketsOf(
  tier: RateTier,
  call: { readonly method: string; readonly token: string; readonly channel: string | undefined },
): readonly BucketUse[] {
  const method = { key: `${call.method} ${call.token}`, rule: RATE_TIERS[tier] };
  if (tier !== 'posting' || call.channel === undefined) return [method];
  const key = `${call.method} ${call.channel} ${call.token}`;
  return [method, { key, rule: POSTING_PER_CHANNEL }];
}
