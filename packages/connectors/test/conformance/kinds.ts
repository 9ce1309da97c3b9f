import type { Sandbox } from '@patchbay/sandbox';

/**
 * Where the value of a param comes from: a value itself (`#` in a text becomes a number that is new
 * each time), or a field of the first record of a list, or of the record of a write.
 */
export type Sample =
  | string
  | number
  | boolean
  | {
      readonly of: string;
      /** Dotted path in the record. */
      readonly field: string;
      /** Only a record where this path has something (true, text, a number above 0) will do. */
      readonly having?: string;
    };

/** What the suite has to be told of a kind, because neither definition nor tables say it. */
export interface KindRow {
  /** The simulated upstream it talks to. */
  readonly url: keyof Sandbox['urls'];
  readonly config?: Readonly<Record<string, unknown>>;
  /**
   * Values of params, by `entity.action.param` or by `param`; an optional param is given where its
   * full path is here. Ids of entities that can be listed are found without.
   */
  readonly samples?: Readonly<Record<string, Sample>>;
  /** Operations whose request is not the upstream table's, and why. */
  readonly otherRequests?: Readonly<
    Record<string, { readonly request: string; readonly why: string }>
  >;
  /** Params that go out by another name than the upstream table's, by `entity.action.param`. */
  readonly otherNames?: Readonly<Record<string, { readonly name: string; readonly why: string }>>;
  /** Fields that some records of a list have although its answer has them elsewhere, by `entity.action`. */
  readonly filledFields?: Readonly<Record<string, readonly string[]>>;
  /** Walks that may give a record twice while others change, since their pages have numbers. */
  readonly numberedWalks?: {
    /** Params that choose such a walk. */
    readonly startedWith: readonly string[];
    /** Lists that have no other. */
    readonly lists: readonly string[];
    /** Changes that move records from page to page. */
    readonly changes: readonly Change[];
    readonly why: string;
  };
}

export type Change = 'insert' | 'delete' | 'update';

/** A row for each kind; a new kind needs nothing else here. */
export const KIND_ROWS: Readonly<Record<string, KindRow>> = {
  'chat-workspace': {
    url: 'slack',
    samples: {
      channel: { of: 'channels.list', field: 'id', having: 'is_general' },
      'threads.list.ts': { of: 'channel_messages.list', field: 'ts', having: 'reply_count' },
      'channels.create.name': 'made-by-test-#',
      'channels.update.name': 'named-by-test-#',
      'channels.update.channel': { of: 'channels.create', field: 'id' },
      text: 'Tea? 🍵',
      topic: 'Tea & cake',
      purpose: 'Talk of tea',
      'messages.update.ts': { of: 'messages.create', field: 'ts' },
      'reactions.create.timestamp': { of: 'messages.create', field: 'ts' },
      'reactions.create.name': 'tea',
    },
  },
  'support-chat': {
    url: 'zendeskChat',
    config: { subdomain: 'sandbox' },
    // The group that a ban is in tells it.
    filledFields: { 'bans.list': ['type'] },
  },
  'customer-messaging': {
    url: 'intercom',
    otherRequests: {
      'companies.list': {
        request: 'POST /companies/list',
        why: 'GET /companies looks companies up.',
      },
    },
    numberedWalks: {
      startedWith: [],
      lists: ['companies.list'],
      changes: ['insert'],
      why: 'A number counts from the start, where new companies are.',
    },
  },
  'support-ticketing': {
    url: 'zendeskSupport',
    config: { subdomain: 'sandbox' },
    samples: {
      'attachments.get.attachment_id': {
        of: 'ticket_comments.list',
        field: 'attachments.0.id',
        having: 'attachments.0.id',
      },
      'article_attachments.get.attachment_id': { of: 'article_attachments.list', field: 'id' },
    },
    otherNames: {
      'ticket_fields.list.per_page': {
        name: 'page[size]',
        why: 'Zendesk gives all fields at once, unless they are asked for by cursor.',
      },
    },
    numberedWalks: {
      startedWith: ['page', 'sort_by', 'sort_order'],
      lists: ['ticket_forms.list', 'sla_policies.list'],
      // What is deleted or changed here lies behind the pages that were read, so nothing moves up.
      changes: ['insert'],
      why: 'Zendesk sorts by these only where pages have numbers, and a number counts from the start.',
    },
  },
};
