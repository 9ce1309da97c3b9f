import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toyKind } from '../../test/support/toy-kind.ts';
import {
  bearer,
  connectorKind,
  create,
  credential,
  entity,
  field,
  get,
  identity,
  InvalidDefinitionError,
  list,
  meta,
  paging,
  param,
  setting,
  type Action,
  type ConnectorKind,
  type Distributions,
  type Entity,
  type Params,
} from './index.ts';
import { findDefinitionFaults } from './check-definition.ts';

const reference = 'https://example.com';
const about = { doc: 'x', reference };

/** The least that a definition can say. */
function minimal(changes: Partial<ConnectorKind> = {}): ConnectorKind {
  return {
    kind: 'toy',
    displayName: 'Toy',
    aliases: [],
    definitionId: '00000000-0000-4000-8000-000000000000',
    ...about,
    baseUrl: 'https://example.com',
    auth: { token: tokenMethod('api_token') },
    config: {},
    replicationConfig: {},
    requiresReplicationConfig: false,
    errors: { code: 'error', codes: {}, writeMayHaveHappened: [] },
    checks: [{ entity: 'things', action: 'list', params: {} }],
    entities: { things: things() },
    extensions: [],
    ...changes,
  };
}

function tokenMethod(token: string) {
  const fields = { api_token: credential.required('Token.') };
  return bearer({ label: 'Token', doc: 'A token.', fields, token });
}

const listThings = list({ ...about, request: 'GET /things', params: {}, records: 'things' });

function things(changes: Partial<Entity> = {}): Entity {
  return {
    ...entity({
      name: 'things',
      ...about,
      key: 'id',
      record: { id: field.string('Id.', { always: true }), name: field.string('Name.') },
      actions: { list: listThings },
    }),
    ...changes,
  };
}

function withThings(changes: Partial<Entity>): ConnectorKind {
  return minimal({ entities: { things: things(changes) } });
}

function withAction(verb: string, action: Action): ConnectorKind {
  return withThings({ actions: { list: listThings, [verb]: action } });
}

/** Things, whose parts are copied too. */
function withDistributions(
  changes: Partial<Distributions<'usual' | 'narrow'>> = {},
): ConnectorKind {
  const size = param.pageSize('Records per page.', { maximum: 100 });
  const record = { id: field.string('Id.', { always: true }) };
  const found = { search: { fields: ['id'] } };
  const listOf = (params: Params) =>
    list({ ...about, request: 'GET /things', params: { ...params, limit: size }, records: 'x' });
  return minimal({
    entities: {
      things: entity({ name: 'things', ...about, record, ...found, actions: { list: listOf({}) } }),
      parts: entity({
        name: 'parts',
        ...about,
        record,
        ...found,
        actions: { list: listOf({ thing: param.string('Thing.', { required: true }) }) },
        replicate: {
          params: { limit: 50 },
          parents: { entity: 'things', params: { thing: 'id' } },
          fullEveryHours: 24,
        },
      }),
    },
    distributions: {
      ...about,
      applies: 'usual',
      each: { usual: { doc: 'x' }, narrow: { doc: 'x' } },
      ...changes,
    },
  });
}

const writing = { ...about, params: {}, record: '$', howToFindOut: 'Look.' } as const;
const things1 = 'entities.things';

const FAULTY: readonly (readonly [ConnectorKind, ...string[]])[] = [
  [
    withThings({
      record: {
        id: field.string('Id.', { always: true }),
        none: field.object('Nothing.', {}),
        dots: field.array('Things.', { a: { 'b.c': 'string' } }),
      },
    }),
    'entities.things.record.none: has members, but none',
    'entities.things.record.dots: the member "dots.a.b.c" is no plain name',
  ],
  [
    withDistributions({ doc: '', applies: 'none' as 'usual' }),
    'distributions.doc: is empty',
    'distributions.applies: "none" is none of them',
  ],
  [
    withDistributions({
      each: {
        usual: { doc: ' ', notCopied: ['things'] },
        narrow: {
          doc: 'x',
          lists: {
            things: { rate: { perMinute: 1, shared: 'request' }, largestPage: 101 },
            nothing: { rate: { perMinute: 1, shared: 'request' }, largestPage: 1 },
          },
          notCopied: ['nothing'],
        },
      },
    }),
    'distributions.each.usual.doc: is empty',
    'distributions.each.usual.lists: differ from the definition, which is of this distribution',
    'distributions.each.narrow.lists.things.largestPage: is no integer from 1 to 100',
    'distributions.each.narrow.lists.nothing: is no list with a page size',
    'distributions.each.narrow.notCopied: "nothing" is never copied',
  ],
  [
    // What is copied is read in pages that the list does not give then, or for parents without a copy.
    withDistributions({
      each: {
        usual: { doc: 'x' },
        narrow: {
          doc: 'x',
          lists: { parts: { rate: { perMinute: 1, shared: 'request' }, largestPage: 15 } },
          notCopied: ['things'],
        },
      },
    }),
    'distributions.each.narrow leads to entities.parts.replicate.params.limit: must be an integer from 1 to 15',
    'distributions.each.narrow leads to entities.parts.replicate.parents: "things" has no copy',
  ],
  [minimal({ kind: 'Toy Shop' }), 'kind: '],
  [minimal({ definitionId: 'x' }), 'definitionId: is not a UUID'],
  [minimal({ doc: ' ' }), 'doc: is empty'],
  [minimal({ reference: 'http://example.com' }), 'reference: is not an https URL'],
  [minimal({ auth: {} }), 'auth: has no method'],
  [
    minimal({
      identity: identity({
        reference,
        reads: { config: 'GET /me', me: 'GET /{id}' },
        accounts: [{ id: 'config.place', name: 'you.name' }],
        principal: 'me.id',
      }),
    }),
    'identity.reads.config: is no name for a read',
    'identity.reads.me.request: is not "METHOD /path" without params',
    'identity.accounts.0.id: "config.place" begins with no read, config variable or upstream.host',
    'identity.accounts.0.name: "you.name" begins with no read, config variable or upstream.host',
  ],
  [minimal({ entities: {}, checks: [] }), 'entities: has no entity', 'checks: is empty'],
  [minimal({ baseUrl: 'http://example.com' }), 'baseUrl: is not an https URL'],
  [minimal({ baseUrl: 'https://example.com/' }), 'baseUrl: ends with a slash'],
  [minimal({ baseUrl: 'https://{place}.example.com' }), 'baseUrl: {place} is no config variable'],
  [
    minimal({ auth: { token: tokenMethod('token') } }),
    'auth.token.use: "token" is no required credential field',
  ],
  [
    minimal({
      auth: {
        token: {
          ...tokenMethod('api_token'),
          fields: { api_token: credential.required('x'), ApiToken: credential.optional('') },
        },
      },
    }),
    'auth.token.fields.ApiToken: is not snake_case',
    'auth.token.fields.ApiToken.doc: is empty',
  ],
  [
    minimal({ entities: { things: things(), others: things() } }),
    'entities.others.name: is "things", not "others"',
  ],
  [
    minimal({ entities: { things: things(), myThings: things({ name: 'myThings' }) } }),
    'entities.myThings: is not snake_case',
  ],
  ...['execute', 'entities', 'describe', 'check', 'search', 'then'].map(
    (name) =>
      [
        minimal({ entities: { things: things(), [name]: things({ name }) } }),
        `entities.${name}: is a reserved name`,
      ] as const,
  ),
  [withThings({ doc: '' }), `${things1}.doc: is empty`],
  [
    withThings({ record: { id: field.string('x', { always: true }), Name: field.string(' ') } }),
    `${things1}.record.Name: is not snake_case`,
    `${things1}.record.Name: has no doc`,
  ],
  [
    withThings({ leftOut: ['name', 'colour'] }),
    `${things1}.leftOut: "name" is not left out: it is a field`,
  ],
  [withThings({ key: ['name'] }), `${things1}.key: "name" is no record field that is always there`],
  [withThings({ key: ['nothing'] }), `${things1}.key: "nothing" is no record field`],
  [withThings({ key: ['id', 'nothing'] }), `${things1}.key: "nothing" is no record field`],
  [withThings({ key: ['params.shelf'] }), `${things1}.key: "shelf" is no required param of list`],
  [
    withThings({
      search: {
        fields: ['id', 'id', 'size'],
        only: { colour: field.string('x') },
        sortable: ['name'],
        text: ['what'],
      },
    }),
    `${things1}.search.fields.1: "id" is listed twice`,
    `${things1}.search.fields.2: "size" is neither in the record nor in only`,
    `${things1}.search.only.colour: is not listed in fields`,
    `${things1}.search.sortable: "name" is not searchable`,
    `${things1}.search.text: "what" is not searchable`,
  ],
  [
    withThings({
      record: { id: field.string('x', { always: true }), name: field.array('x') },
      search: { fields: ['name'], sortable: ['name'] },
    }),
    `${things1}.search.sortable: "name" is no scalar`,
  ],
  [
    withThings({
      search: {
        fields: ['id', 'shelf'],
        only: { shelf: field.string('x') },
        fromParams: { shelf: 'shelf', id: 'id' },
      },
    }),
    `${things1}.search.fromParams.shelf: "shelf" is no required param of list`,
    `${things1}.search.fromParams.id: is not in only`,
    `${things1}.search.fromParams.id: "id" is no required param of list`,
  ],
  [withAction('get', listThings), `${things1}.actions.get: is a "list" action`],
  [
    withAction('get', get({ ...about, request: 'GET /a b', params: {}, record: '$' })),
    `${things1}.actions.get.request: is not "METHOD /path"`,
  ],
  [
    withAction('get', get({ ...about, request: 'GET /things/{id}', params: {}, record: '$' })),
    `${things1}.actions.get.request: {id} is no required param`,
  ],
  [
    withAction(
      'get',
      get({
        ...about,
        request: 'GET /things/{id}',
        params: {
          id: param.string('Id.'),
          Shelf: param.string(''),
          note: param.string('Note.', { goesTo: 'body', omittedWith: 'colour' }),
        },
        record: '$',
        policies: { rates: [{ perMinute: 1, shared: 'request', perParam: 'channel' }] },
      }),
    ),
    `${things1}.actions.get.request: {id} is no required param`,
    `${things1}.actions.get.params.Shelf: is not snake_case`,
    `${things1}.actions.get.params.Shelf.doc: is empty`,
    `${things1}.actions.get.params.note.omittedWith: "colour" is no param`,
    `${things1}.actions.get.params.note.goesTo: is "body", but a GET has none`,
    `${things1}.actions.get.policies.rates: "channel" is no param`,
  ],
  [
    withAction(
      'create',
      create({
        ...writing,
        request: 'POST /things',
        fill: { size: 'size' },
        readBack: { entity: 'things', params: {} },
        howToFindOut: ' ',
      }),
    ),
    `${things1}.actions.create.fill.size: is no record field`,
    `${things1}.actions.create.readBack: there is no things.get`,
    `${things1}.actions.create.howToFindOut: is empty`,
  ],
  [
    withThings({
      actions: {
        list: listThings,
        get: get({ ...about, request: 'GET /thing', params: {}, record: '$' }),
        create: create({
          ...writing,
          request: 'POST /things',
          readBack: { entity: 'things', params: { id: 'thing' } },
        }),
      },
    }),
    `${things1}.actions.create.readBack.params: "id" is no param of things.get`,
    `${things1}.actions.create.readBack.params: "thing" is no param`,
  ],
  ...[
    paging.afterLastKey({ step: 0, param: 'next' }),
    paging.link({ next: 'next', endsShort: true }),
  ].map(
    (strategy) =>
      [
        withThings({ actions: { list: { ...listThings, paging: strategy } } }),
        `${things1}.actions.list.paging: "next" is no `,
        `${things1}.actions.list.paging: needs a page size with a default`,
      ] as const,
  ),
  [
    withThings({
      actions: {
        list: { ...listThings, paging: paging.link({ next: 'next', place: ['since'] }) },
      },
    }),
    `${things1}.actions.list.paging: "since" is no param`,
    `${things1}.actions.list.paging: "next" is no Meta field`,
  ],
  [
    withThings({
      actions: {
        list: {
          ...listThings,
          params: {
            size: param.pageSize('Size.', { maximum: 9 }),
            per_page: param.pageSize('Size.', { maximum: 9 }),
            limit: param.integer('Something else.'),
          },
        },
      },
    }),
    `${things1}.actions.list.params: has more than one page size`,
    `${things1}.actions.list.params.limit: is not the page size`,
  ],
  [
    withThings({
      actions: {
        list: {
          ...listThings,
          paging: paging.scroll({ param: 'cursor', next: 'next', taken: 'busy' }),
        },
      },
    }),
    `${things1}.actions.list.paging: "cursor" is no param`,
    `${things1}.actions.list.paging: "next" is no Meta field`,
    `${things1}.actions.list.paging: is a scroll`,
  ],
  ...[paging.cursor({ param: 'cursor', next: 'next' })].map(
    (strategy) =>
      [
        withThings({ actions: { list: { ...listThings, paging: strategy } } }),
        `${things1}.actions.list.paging: "cursor" is no param`,
        `${things1}.actions.list.paging: "next" is no `,
      ] as const,
  ),
  [
    withThings({
      actions: {
        list: list({
          ...about,
          request: 'GET /things',
          params: { cursor: param.string('Cursor.') },
          records: 'things',
          meta: { next: meta(field.string('Next.'), 'next') },
          paging: paging.cursor({
            param: 'cursor',
            next: 'next',
            walk: { start: '', unless: ['page'] },
            orLink: 'link',
          }),
        }),
      },
    }),
    `${things1}.actions.list.paging: "page" is no param`,
    `${things1}.actions.list.paging: "link" is no Meta field`,
  ],
  [
    minimal({
      errors: {
        code: 'error',
        codes: { record_not_found: ['gone'], upstream_rejected: ['gone'] },
        cursorCodes: ['gone'],
        writeMayHaveHappened: ['crashed'],
      },
    }),
    'errors.codes.upstream_rejected: "gone" is listed twice',
    'errors.cursorCodes: "gone" is in another list of codes',
    'errors.writeMayHaveHappened: "crashed" is in no list of codes',
  ],
  [
    minimal({
      checks: [
        { entity: 'nothing', action: 'list', params: {} },
        { entity: 'things', action: 'list', params: { size: 1 } },
      ],
    }),
    'checks.0: there is no nothing.list',
    'checks.1.params.size: is no param',
  ],
  [
    minimal({
      entities: {
        things: things({
          actions: {
            list: {
              ...listThings,
              params: {
                limit: param.pageSize('x', { maximum: 5 }),
                shelf: param.string('x', { required: true }),
              },
            },
          },
        }),
      },
      checks: [{ entity: 'things', action: 'list', params: { limit: 6 } }],
    }),
    'checks.0.params.limit: must be an integer from 1 to 5',
    'checks.0.params.shelf: is missing',
  ],
  [
    minimal({ extensions: ['entities.things', 'entities.things.record.size', 'constructor'] }),
    'extensions.1: there is nothing at "entities.things.record.size"',
    'extensions.2: there is nothing at "constructor"',
  ],
  [
    minimal({
      auth: { token: { ...tokenMethod('api_token'), grants: ['authorization_code'] } },
      oauth: {
        reference,
        consent: { address: 'https://example.com/authorize' },
        token: {
          address: 'https://example.com/token',
          body: 'form',
          error: 'error',
          deadGrants: [],
          wrongClients: [],
        },
      },
      replicationConfig: {
        days: setting.integer('Days.', { minimum: 0, maximum: 9, required: true }),
      },
      requiresReplicationConfig: true,
      usualReplicationConfig: { day: 1 },
    }),
    'usualReplicationConfig.day: is no member of the replication config',
    'usualReplicationConfig: lacks "days", which consent needs',
  ],
];

describe('a definition', () => {
  test('that is sound passes, and comes back as it is', () => {
    const definition = minimal();
    assert.deepEqual(findDefinitionFaults(definition), []);
    assert.equal(connectorKind(definition), definition);
    assert.deepEqual(findDefinitionFaults(toyKind), []);
  });

  for (const [definition, ...expected] of FAULTY)
    test(`with a fault says where: ${expected[0] ?? ''}`, () => {
      const faults = findDefinitionFaults(definition);
      assert.equal(faults.length, expected.length, faults.join('\n'));
      for (const start of expected)
        assert.ok(
          faults.some((fault) => fault.startsWith(start)),
          `"${start}" is not in\n${faults.join('\n')}`,
        );
    });

  test('with a fault of every class reports them all at once, each with its path', () => {
    const faulty = minimal({
      kind: 'X',
      definitionId: 'x',
      doc: '',
      baseUrl: 'ftp://{a}/',
      auth: { token: tokenMethod('nothing') },
      entities: { Bad: things({ key: ['what'], doc: '' }) },
      checks: [],
      extensions: ['nowhere'],
    });
    assert.throws(
      () => connectorKind(faulty),
      (error) => {
        assert.ok(error instanceof InvalidDefinitionError);
        assert.deepEqual(
          error.faults.map((fault) => fault.split(': ')[0]),
          [
            'kind',
            'definitionId',
            'doc',
            'baseUrl',
            'baseUrl',
            'baseUrl',
            'auth.token.use',
            'entities.Bad.name',
            'entities.Bad',
            'entities.Bad.doc',
            'entities.Bad.key',
            'checks',
            'extensions.0',
          ],
        );
        for (const fault of error.faults) assert.ok(error.message.includes(fault));
        return true;
      },
    );
  });

  test('may have distributions, each of which makes a sound definition', () => {
    assert.deepEqual(findDefinitionFaults(withDistributions()), []);
  });

  test('may have an entity without a key, and Meta that pages by cursor', () => {
    const paged = list({
      ...about,
      request: 'GET /things',
      params: { cursor: param.string('Cursor.') },
      records: 'things',
      meta: { next: meta(field.string('Next.'), 'next') },
      paging: paging.cursor({ param: 'cursor', next: 'next' }),
    });
    assert.deepEqual(findDefinitionFaults(withThings({ key: [], actions: { list: paged } })), []);
  });

  test('may have a key with a part that may be null, beside one that is always there', () => {
    assert.deepEqual(findDefinitionFaults(withThings({ key: ['id', 'name'] })), []);
  });
});
