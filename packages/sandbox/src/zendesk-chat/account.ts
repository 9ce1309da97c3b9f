import { ByteCache } from '../byte-cache.ts';
import { Collection } from '../zendesk-support/collection.ts';
import type { SeededRecords } from '../zendesk-support/collection.ts';
import { ExportLog } from './export-log.ts';
import { seededChats } from './seeded-chats.ts';
import {
  seededAgents,
  seededBans,
  seededDepartments,
  seededGoals,
  seededRoles,
  seededShortcuts,
  seededSkills,
  seededTriggers,
} from './seeded-staff.ts';
import { seededTimeline } from './seeded-timeline.ts';
import type { ChatEntity, ChatWorld } from './world.ts';

const PAGE_CACHE_BYTES = 24_000_000;
/** What is younger than this is not exported yet. */
export const EXPORT_DELAY_SECONDS = 300;

/** The name of an export. */
export type ExportName = 'chats' | 'agent_timeline';

/** The account as it stands. */
export class ChatAccount {
  readonly world: ChatWorld;
  readonly exports: Readonly<Record<ExportName, ExportLog>>;
  readonly #clock: () => number;
  readonly #collections: ReadonlyMap<ChatEntity, Collection>;
  readonly #pages = new ByteCache(PAGE_CACHE_BYTES);
  #changes = 0;

  constructor(world: ChatWorld, clock: () => number) {
    this.world = world;
    this.#clock = clock;
    this.exports = {
      chats: new ExportLog(seededChats(world)),
      agent_timeline: new ExportLog(seededTimeline(world)),
    };
    const seeded: readonly (readonly [ChatEntity, SeededRecords])[] = [
      ['agents', seededAgents(world)],
      ['bans', seededBans(world)],
      ['departments', seededDepartments(world)],
      ['goals', seededGoals(world)],
      ['roles', seededRoles(world)],
      ['shortcuts', seededShortcuts(world)],
      ['skills', seededSkills(world)],
      ['triggers', seededTriggers(world)],
    ];
    this.#collections = new Map(
      seeded.map(([entity, records]) => [entity, new Collection(records)]),
    );
  }

  collection(entity: Exclude<ChatEntity, ExportName>): Collection {
    const collection = this.#collections.get(entity);
    // Every entity that is no export is in the map above.
    if (collection === undefined) throw new Error(`no collection of ${entity}`);
    return collection;
  }

  /** Promises bytes that were made before, until something changes. */
  cachedPage(key: string, build: () => Buffer): Buffer {
    return this.#pages.getOrBuild(key, build);
  }

  /** Promises a time in seconds for a change: behind everything, and old enough to be exported. */
  nextChangeAt(): number {
    this.#changes += 1;
    this.#pages.clear();
    return (
      Math.max(this.#nowSeconds() - 2 * EXPORT_DELAY_SECONDS, this.world.endsAt) + this.#changes
    );
  }

  /** Promises the latest time, in seconds, from which an export may be asked for. */
  exportableUntil(): number {
    const settled = this.world.endsAt + EXPORT_DELAY_SECONDS;
    return Math.max(this.#nowSeconds() - EXPORT_DELAY_SECONDS, settled + this.#changes);
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock() / 1_000);
  }
}
