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
/** A `start_time` has to be this long ago: Zendesk exports no changes that are younger. */
export const EXPORT_DELAY_SECONDS = 300;

/** The name of an export. */
export type ExportName = 'chats' | 'agent_timeline';

/** The current state of the account: the seeded records, overlaid with later changes. */
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

  /** The bytes of a page, built once and kept until something changes. */
  cachedPage(key: string, build: () => Buffer): Buffer {
    return this.#pages.getOrBuild(key, build);
  }

  /** Begins a change: the time for it, in seconds, later than all others and already exportable. */
  nextChangeAt(): number {
    this.#changes += 1;
    this.#pages.clear();
    return (
      Math.max(this.#nowSeconds() - 2 * EXPORT_DELAY_SECONDS, this.world.endsAt) + this.#changes
    );
  }

  /** The latest `start_time`, in seconds, that an export may be asked for. */
  exportableUntil(): number {
    const settled = this.world.endsAt + EXPORT_DELAY_SECONDS;
    return Math.max(this.#nowSeconds() - EXPORT_DELAY_SECONDS, settled + this.#changes);
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock() / 1_000);
  }
}
