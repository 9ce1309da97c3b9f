import { ByteCache } from '../byte-cache.ts';
import { Collection } from './collection.ts';
import type { SeededRecords } from './collection.ts';
import { ExportedRecords } from './exports.ts';
import type { ExportedEntity } from './exports.ts';
import { orderOf } from './order.ts';
import type { Filter, Order, Orderable, Sorting } from './order.ts';
import { seededArticles } from './seeded-articles.ts';
import {
  seededGroupMemberships,
  seededGroups,
  seededOrganizationMemberships,
  seededOrganizations,
  seededUsers,
} from './seeded-people.ts';
import {
  seededAutomations,
  seededBrands,
  seededMacros,
  seededSlaPolicies,
  seededTicketFields,
  seededTicketForms,
  seededTriggers,
  seededViews,
} from './seeded-settings.ts';
import { seededRatings, seededTags, seededTicketMetrics, seededTickets } from './seeded-tickets.ts';
import type { Seconds } from './times.ts';
import type { SupportEntity, SupportWorld } from './world.ts';

const PAGE_CACHE_BYTES = 24_000_000;
/** Sorted lists kept; one of a million tickets takes 4 MB. */
const MAX_ORDERS = 8;

interface KeptOrder {
  readonly collection: Orderable;
  readonly revision: number;
  readonly order: Order;
}

/** The current state of the account: the seeded records, overlaid with later changes. */
export class SupportAccount {
  readonly world: SupportWorld;
  readonly #clock: () => number;
  readonly #collections: Readonly<Record<SupportEntity, Collection>>;
  readonly #exports: Readonly<Record<ExportedEntity, ExportedRecords>>;
  /** Lists inside another record, kept once they have changed. */
  readonly #nested = new Map<string, Collection>();
  readonly #orders = new Map<string, KeptOrder>();
  readonly #pages = new ByteCache(PAGE_CACHE_BYTES);

  constructor(world: SupportWorld, clock: () => number) {
    this.world = world;
    this.#clock = clock;
    this.#collections = {
      tickets: new Collection(seededTickets(world)),
      ticket_metrics: new Collection(seededTicketMetrics(world)),
      satisfaction_ratings: new Collection(seededRatings(world)),
      users: new Collection(seededUsers(world)),
      organizations: new Collection(seededOrganizations(world)),
      organization_memberships: new Collection(seededOrganizationMemberships(world)),
      groups: new Collection(seededGroups(world)),
      group_memberships: new Collection(seededGroupMemberships(world)),
      ticket_fields: new Collection(seededTicketFields(world, undefined)),
      ticket_forms: new Collection(seededTicketForms(world)),
      brands: new Collection(seededBrands(world)),
      views: new Collection(seededViews(world)),
      macros: new Collection(seededMacros(world)),
      triggers: new Collection(seededTriggers(world)),
      automations: new Collection(seededAutomations(world)),
      sla_policies: new Collection(seededSlaPolicies(world)),
      tags: new Collection(seededTags(world)),
      articles: new Collection(seededArticles(world)),
    };
    const { tickets, users, organizations } = this.#collections;
    this.#exports = {
      tickets: new ExportedRecords('tickets', tickets),
      users: new ExportedRecords('users', users),
      organizations: new ExportedRecords('organizations', organizations),
    };
  }

  collection(entity: SupportEntity): Collection {
    return this.#collections[entity];
  }

  exported(entity: ExportedEntity): ExportedRecords {
    return this.#exports[entity];
  }

  /** A list that depends on the call: the kept one if it was changed, else one made for it. */
  nested(key: string, seeded: () => SeededRecords): Collection {
    return this.#nested.get(key) ?? new Collection(seeded());
  }

  /** The order of a list, built once and kept until the list changes. */
  order(
    key: string,
    collection: Orderable,
    { sorting, filter }: { readonly sorting: Sorting; readonly filter?: Filter | undefined },
  ): Order {
    const isBuilt = sorting.name !== 'id' || filter !== undefined || !collection.isWhole;
    if (!isBuilt) return orderOf(collection, sorting);
    const fullKey = `${key} ${sorting.name} ${String(sorting.isDescending)} ${filter?.key ?? ''}`;
    const kept = this.#orders.get(fullKey);
    if (kept?.collection === collection && kept.revision === collection.revision) return kept.order;
    const order = orderOf(collection, sorting, filter);
    this.#orders.delete(fullKey);
    this.#orders.set(fullKey, { collection, revision: collection.revision, order });
    for (const oldest of this.#orders.keys()) {
      if (this.#orders.size <= MAX_ORDERS) break;
      this.#orders.delete(oldest);
    }
    return order;
  }

  /** The bytes of a page, built once and kept until something changes. */
  cachedPage(key: string, build: () => Buffer): Buffer {
    return this.#pages.getOrBuild(key, build);
  }

  /** Adds, removes or changes a record of a list between two of its pages. */
  disturb(
    key: string,
    collection: Collection,
    {
      change,
      position,
    }: { readonly change: 'insert' | 'delete' | 'update'; readonly position: number },
  ): void {
    const isNested = !Object.values(this.#collections).includes(collection);
    if (isNested) this.#nested.set(key, collection);
    if (change === 'insert') collection.add(this.now());
    if (change === 'delete') collection.remove(position, this.now());
    if (change === 'update') collection.change(position, this.now());
    this.#pages.clear();
  }

  /** The clock's time, but never before the seeded data ends. */
  now(): Seconds {
    return Math.max(Math.floor(this.#clock() / 1_000), this.world.endsAt + 1);
  }
}
