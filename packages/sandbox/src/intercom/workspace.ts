import { ByteCache } from '../byte-cache.ts';
import { Collection } from './collection.ts';
import { CompanyScroll } from './company-scroll.ts';
import { SearchResults } from './search-results.ts';
import { seededCompany } from './seeded-companies.ts';
import type { IntercomCompany } from './seeded-companies.ts';
import { seededContact } from './seeded-contacts.ts';
import type { IntercomContact } from './seeded-contacts.ts';
import { conversationPosition, seededConversation } from './seeded-conversations.ts';
import type { IntercomConversation } from './seeded-conversations.ts';
import { COMPANY_SALT, CONTACT_SALT, CONVERSATION_SALT } from './world.ts';
import type { Salt, World } from './world.ts';

const PAGE_CACHE_BYTES = 32_000_000;

/** The current state of the workspace: the seeded records, overlaid with later changes. */
export class Workspace {
  readonly world: World;
  readonly contacts: Collection<IntercomContact>;
  readonly conversations: Collection<IntercomConversation>;
  readonly companies: Collection<IntercomCompany>;
  readonly contactSearches = new SearchResults();
  readonly conversationSearches = new SearchResults();
  readonly companyScroll: CompanyScroll;
  readonly #pages = new ByteCache(PAGE_CACHE_BYTES);

  constructor(world: World, clock: () => number) {
    this.world = world;
    this.companyScroll = new CompanyScroll(clock);
    const nowSeconds = () => Math.floor(clock() / 1_000);
    const onChange = () => {
      this.#pages.clear();
      this.contactSearches.clear();
      this.conversationSearches.clear();
    };
    this.contacts = new Collection(
      {
        ...timesOf(world, world.contactCount, CONTACT_SALT),
        at: (position) => seededContact(world, position),
        positionOf: (id) => world.objectPosition(id, CONTACT_SALT),
        edited: (contact) => ({ ...contact, name: `${contact.name ?? ''} (changed)` }),
        created: (contact, at) => ({ ...contact, created_at: at, updated_at: at }),
      },
      nowSeconds,
      onChange,
    );
    this.conversations = new Collection(
      {
        ...timesOf(world, world.conversationCount, CONVERSATION_SALT),
        at: (position) => seededConversation(world, position),
        positionOf: (id) => conversationPosition(world, id),
        edited: (conversation) => ({ ...conversation, title: 'Changed while paging' }),
        created: (conversation, at) => ({ ...conversation, created_at: at, updated_at: at }),
      },
      nowSeconds,
      onChange,
    );
    this.companies = new Collection(
      {
        ...timesOf(world, world.companyCount, COMPANY_SALT),
        at: (position) => seededCompany(world, position),
        positionOf: (id) => world.objectPosition(id, COMPANY_SALT),
        edited: (company) => ({ ...company, name: `${company.name} (changed)` }),
        created: (company, at) => ({
          ...company,
          created_at: at,
          updated_at: at,
          last_request_at: at,
        }),
      },
      nowSeconds,
      onChange,
    );
  }

  /** The bytes of a page, built once and kept until a record changes. */
  cachedPage(key: string, build: () => Buffer): Buffer {
    return this.#pages.getOrBuild(key, build);
  }
}

/** How many seeded records of a kind there are, and when each was created and last changed. */
function timesOf(world: World, count: number, salt: Salt) {
  const createdAt = (position: number) => world.createdAt(position, count);
  return {
    count,
    createdAt,
    updatedAt: (position: number) => world.updatedAt(position, createdAt(position), salt),
  };
}
