import {
  basic,
  connectorKind,
  create,
  credential,
  entity,
  field,
  get,
  list,
  meta,
  paging,
  param,
  setting,
} from '../../src/vocabulary/index.ts';

const reference = 'https://example.com/reference';

/** Things of every kind that chat-workspace has none of: paging, places of params, basic auth. */
const things = entity({
  name: 'things',
  doc: 'Things.',
  reference,
  key: 'id',
  record: {
    id: field.integer('Id.', { always: true }),
    seen_at: field.integer('When it was seen.'),
    parts: field.integers('Ids of parts.'),
  },
  actions: {
    list: list({
      doc: 'Lists things after one another.',
      reference,
      request: 'GET /things',
      params: {
        per_page: param.pageSize('Things per page.', {
          upstreamName: 'page_size',
          maximum: 100,
          default: 3,
        }),
        starting_after: param.string('Things after this one.'),
        shape: param.choice('Shape.', ['round', 'square']),
      },
      constants: { include: 'parts' },
      headers: { 'x-version': '2' },
      records: 'page.things',
      meta: {
        count: meta(field.integer('Count.', { always: true }), 'count', { orElse: 'page_length' }),
      },
      paging: paging.afterLastKey({ step: 0, param: 'starting_after' }),
    }),
    get: get({
      doc: 'Reads a thing.',
      reference,
      request: 'GET /things/{thing_id}/all',
      params: {
        thing_id: param.string('Thing.', { required: true }),
        note: param.string('A note for nobody.', { goesTo: 'nowhere' }),
      },
      record: '$',
    }),
    create: create({
      doc: 'Makes a thing.',
      reference,
      request: 'PUT /shelves/{shelf}/things',
      params: {
        shelf: param.string('Shelf.', { required: true }),
        name: param.string('Name.', { required: true, upstreamName: 'title' }),
        dry_run: param.boolean('Only try.', { goesTo: 'query' }),
      },
      constants: { origin: 'patchbay' },
      record: 'thing',
      howToFindOut: 'List the things.',
    }),
  },
});

const events = entity({
  name: 'events',
  doc: 'Events in the order of their times.',
  reference,
  key: 'id',
  record: {
    id: field.integer('Id.', { always: true }),
    at: field.integer('Time.'),
  },
  actions: {
    list: list({
      doc: 'Lists events from a time on.',
      reference,
      request: 'GET /events',
      params: {
        start_time: param.integer('From this time on.'),
        limit: param.pageSize('Events per page.', { maximum: 50, default: 4 }),
      },
      records: 'events',
      meta: { next_page: meta(field.string('Next page.'), 'next_page') },
      paging: paging.link({ next: 'next_page', endsShort: true }),
    }),
  },
});

/** A sound kind with what chat-workspace lacks. */
export const toyKind = connectorKind({
  kind: 'toy-shop',
  displayName: 'Toy Shop',
  aliases: [],
  definitionId: '00000000-0000-4000-8000-000000000000',
  doc: 'Toys.',
  reference,
  baseUrl: 'https://{subdomain}.{region}.example.com/api',
  auth: {
    token: basic({
      label: 'Token',
      doc: 'An address and a token.',
      fields: {
        email: credential.required('Address.'),
        api_token: credential.required('Token.'),
      },
      username: '{email}/token',
      password: '{api_token}',
    }),
  },
  config: {
    subdomain: setting.text('Subdomain.', {
      pattern: '^[a-z0-9-]+$',
      expects: 'the first part of the host name',
      required: true,
      placeholder: 'your-subdomain',
    }),
    region: setting.choice('Region.', { us: 'r1', eu: 'r2' }, { default: 'us' }),
  },
  replicationConfig: { start_date: setting.instant('Start.') },
  requiresReplicationConfig: false,
  headers: { 'x-kind': 'toy' },
  errors: {
    code: 'error.code',
    message: 'error.details',
    codes: { record_not_found: ['no_thing'] },
    writeMayHaveHappened: [],
  },
  rateHeaders: {
    remaining: 'x-rate-remaining',
    reset: { header: 'x-rate-reset', unit: 'epoch_seconds' },
  },
  checks: [
    { entity: 'things', action: 'list', params: { per_page: 1 } },
    { entity: 'events', action: 'list', params: { limit: 1 } },
  ],
  entities: { things, events },
  extensions: [],
});
