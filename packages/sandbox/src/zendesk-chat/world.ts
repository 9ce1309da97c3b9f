import { hash32 } from '../seeded-random.ts';
import { IdSpace } from '../zendesk-support/id-space.ts';
import { DAY_SECONDS } from '../zendesk-support/times.ts';
import type { Seconds } from '../zendesk-support/times.ts';

/** Everything the seeded account is a function of. */
export interface ChatWorldOptions {
  readonly seed: number;
  readonly scale: number;
  /** Milliseconds since 1970. */
  readonly dataEndsAt: number;
}

const HISTORY_DAYS = 700;
const MAX_TIMELINE_ROWS = 1_000_000;

/** What is fixed before any record is made: counts, ids and times. */
export class ChatWorld {
  readonly seed: number;
  readonly startsAt: Seconds;
  readonly endsAt: Seconds;
  readonly counts: Readonly<Record<ChatEntity, number>>;
  readonly ids: Readonly<Record<Exclude<ChatEntity, 'chats' | 'agent_timeline'>, IdSpace>>;
  readonly accountId: number;

  constructor({ seed, scale, dataEndsAt }: ChatWorldOptions) {
    this.seed = seed;
    this.endsAt = Math.floor(dataEndsAt / 1_000);
    this.startsAt = this.endsAt - HISTORY_DAYS * DAY_SECONDS;
    this.accountId = 10_000_000 + (hash32(seed, 0, 80) % 1_000_000);
    const agents = between(12, Math.round(scale / 8), 1_500);
    this.counts = {
      chats: scale,
      agents,
      agent_timeline: Math.max(agents * 4, Math.min(scale * 2, MAX_TIMELINE_ROWS)),
      bans: between(12, Math.round(scale / 4), 5_000),
      departments: between(3, Math.round(agents / 6), 40),
      goals: 4,
      roles: 4,
      shortcuts: between(8, Math.round(scale / 10), 300),
      skills: 6,
      triggers: 9,
    };
    const space = (salt: number, stride: number) =>
      new IdSpace({ seed, salt: 80 + salt, first: 1_000 + salt * 100_000, stride });
    this.ids = {
      agents: space(1, 3),
      bans: space(2, 3),
      departments: space(3, 5),
      goals: space(4, 5),
      roles: space(5, 1),
      shortcuts: space(6, 5),
      skills: space(7, 5),
      triggers: space(8, 5),
    };
  }
}

/** The entities of the account. */
export type ChatEntity =
  | 'agent_timeline'
  | 'agents'
  | 'bans'
  | 'chats'
  | 'departments'
  | 'goals'
  | 'roles'
  | 'shortcuts'
  | 'skills'
  | 'triggers';

function between(min: number, value: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
