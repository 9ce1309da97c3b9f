import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findDefinitionFaults } from './check-definition.ts';
import {
  bearer,
  create,
  credential,
  entity,
  field,
  get,
  list,
  param,
  setting,
  type ConnectorKind,
  type Entity,
  type Parents,
  type Replicate,
  type WriteAction,
} from './index.ts';

const about = { doc: 'x', reference: 'https://example.com' };

const record = {
  id: field.string('Id.', { always: true }),
  seen_at: field.string('When it was seen.'),
  is_open: field.boolean('Is open.'),
  size: field.integer('Size.'),
};

const shelves = entity({
  name: 'shelves',
  ...about,
  record,
  actions: { list: list({ ...about, request: 'GET /shelves', params: {}, records: 'shelves' }) },
  search: { fields: ['id', 'seen_at', 'is_open', 'size'] },
});

const listThings = list({
  ...about,
  request: 'GET /shelves/{shelf}/things',
  params: {
    shelf: param.string('Shelf.', { required: true }),
    limit: param.pageSize('Things per page.', { maximum: 10 }),
    since: param.integer('Seen from this time on.'),
  },
  records: 'things',
});

const openShelf = get({
  ...about,
  request: 'POST /shelves/{shelf}/open',
  params: { shelf: param.string('Shelf.', { required: true }) },
  record: 'shelf',
});

/** Things in shelves: all that the vocabulary has for copies, and without a fault. */
const sound = {
  params: { limit: 10 },
  since: { param: 'since', as: 'seconds', startDate: 'start_date', lookbackDays: 'lookback' },
  parents: {
    entity: 'shelves',
    params: { shelf: 'id' },
    where: [
      { field: 'size', above: 0, when: 'opens' },
      {
        anyOf: [
          { field: 'is_open', is: true },
          { field: 'id', isNot: 'x', unless: 'opens' },
        ],
      },
    ],
    changedOnly: true,
    recent: { lookbackDays: 'lookback', fields: ['seen_at'], as: 'seconds_text' },
    before: { action: openShelf, when: 'opens', where: [{ field: 'is_open', isNot: true }] },
    refusals: ['record_not_found', 'shelf_closed'],
  },
  increment: 'same',
  deleted: { field: 'is_open', is: false },
  fullEveryHours: 24,
} as const satisfies Replicate;

function things(changes: Partial<Entity> = {}): Entity {
  return {
    ...entity({
      name: 'things',
      ...about,
      key: ['params.shelf', 'id'],
      record,
      actions: { list: listThings },
      search: {
        fields: ['id', 'shelf'],
        only: { shelf: field.string('Shelf.') },
        fromParams: { shelf: 'shelf' },
      },
      replicate: sound,
    }),
    ...changes,
  };
}

function kindOf(entities: ConnectorKind['entities']): ConnectorKind {
  return {
    kind: 'toy',
    displayName: 'Toy',
    aliases: [],
    definitionId: '00000000-0000-4000-8000-000000000000',
    ...about,
    baseUrl: 'https://example.com',
    auth: {
      token: bearer({
        label: 'Token',
        doc: 'A token.',
        fields: { api_token: credential.required('Token.') },
        token: 'api_token',
      }),
    },
    config: {},
    replicationConfig: {
      start_date: setting.instant('Start.'),
      lookback: setting.integer('Days.', { minimum: 0, maximum: 9 }),
      opens: setting.boolean('Opens.'),
    },
    requiresReplicationConfig: false,
    errors: {
      code: 'error',
      codes: { record_not_found: ['gone'], upstream_forbidden: ['shelf_closed'] },
      writeMayHaveHappened: [],
    },
    checks: [{ entity: 'shelves', action: 'list', params: {} }],
    entities,
    extensions: [],
  };
}

const at = 'entities.things.replicate';

function faultsOf(replicate: Replicate, changes: Partial<Entity> = {}): readonly string[] {
  return findDefinitionFaults(kindOf({ shelves, things: things({ replicate, ...changes }) }));
}

function ofParents(parents: Partial<Parents>): readonly string[] {
  return faultsOf({ ...sound, parents: { ...sound.parents, ...parents } });
}

describe('a copy', () => {
  test('that says all there is to say is sound', () => {
    assert.deepEqual(faultsOf(sound), []);
  });

  const rows: readonly (readonly [string, () => readonly string[], ...string[]])[] = [
    [
      'needs searchable fields',
      () => faultsOf(sound, { search: undefined }),
      `${at}: is of an entity without searchable fields`,
    ],
    [
      'needs a list',
      () =>
        faultsOf({ fullEveryHours: 1 }, { actions: {}, key: ['id'], search: { fields: ['id'] } }),
      `${at}: needs a list action`,
    ],
    [
      'is read in full now and then',
      () => faultsOf({ ...sound, fullEveryHours: 0 }),
      `${at}.fullEveryHours: is not above 0`,
    ],
    [
      'tells deleted records by a field',
      () => faultsOf({ ...sound, deleted: { field: 'gone' } }),
      `${at}.deleted: "gone" is no field`,
    ],
    [
      'gives params that the list has, of their type',
      () => faultsOf({ ...sound, params: { limit: 11, colour: 'red' } }),
      `${at}.params.limit: must be an integer from 1 to 10`,
      `${at}.params.colour: "colour" is no param of the list`,
    ],
    [
      'gives what the list, the key and the fields of params need',
      () => faultsOf({ since: sound.since, increment: 'same', fullEveryHours: 1 }),
      `${at}: nothing gives the param "shelf"`,
    ],
    [
      'has a scroll over what the list ends before, of one list, that needs no params',
      () => faultsOf({ ...sound, beyond: { total: 'count', most: 0, list: listThings } }),
      `${at}.beyond.most: is not above 0`,
      `${at}.beyond: is of several lists: it has parents beside it`,
      `${at}.beyond.list: nothing gives the param "shelf"`,
      `${at}.beyond.list.paging: is no scroll`,
    ],
    [
      'checks an action of its own like any other',
      () =>
        faultsOf({
          ...sound,
          list: { ...listThings, request: 'GET /shelves/{shelf}/{what}', doc: '' },
        }),
      `${at}.list.doc: is empty`,
      `${at}.list.request: {what} is no required param`,
    ],
    [
      'has parts with values that the param takes, and known codes',
      () =>
        faultsOf({
          ...sound,
          parts: { param: 'limit', values: [1, 11], refusals: ['shelf_burnt'] },
        }),
      `${at}.parts: must be an integer from 1 to 10`,
      `${at}.parts.refusals: "shelf_burnt" is in no list of codes`,
    ],
    [
      'has parts at all',
      () => faultsOf({ ...sound, parts: { param: 'limit', values: [], refusals: [] } }),
      `${at}.parts: has no values`,
    ],
    [
      'begins at a time by a param and settings of the right types',
      () =>
        faultsOf({
          ...sound,
          since: {
            param: 'since',
            as: 'seconds_text',
            overlapSeconds: -1,
            hiddenSeconds: -1,
            startDate: 'lookback',
            lookbackDays: 'nothing',
          },
        }),
      `${at}.since.as: "seconds_text" is not of the type of what takes it`,
      `${at}.since.overlapSeconds: is negative`,
      `${at}.since.hiddenSeconds: is negative`,
      `${at}.since.startDate: the setting "lookback" is not an instant`,
      `${at}.since.lookbackDays: "nothing" is no setting of the replication config`,
    ],
    [
      'begins at a time by a param that there is',
      () => faultsOf({ ...sound, since: { param: 'from', as: 'seconds' } }),
      `${at}.since: "from" is no param of the list`,
    ],
    [
      'has increments that leave something out',
      () => {
        const { entity: parent, params } = sound.parents;
        return faultsOf({
          parents: { entity: parent, params },
          increment: 'same',
          fullEveryHours: 1,
        });
      },
      `${at}.increment: reads everything: it has neither since nor parents with changedOnly`,
    ],
    [
      'checks increments of another kind too',
      () => faultsOf({ ...sound, increment: { params: { colour: 'red' }, since: sound.since } }),
      `${at}.increment.params.colour: "colour" is no param of the list`,
      `${at}.increment: nothing gives the param "shelf"`,
    ],
    [
      'has parents that are copied',
      () => ofParents({ entity: 'cupboards' }),
      `${at}.parents: "cupboards" has no copy`,
    ],
    [
      'has parents with the fields and params it names',
      () => ofParents({ params: { shelf: 'name', colour: 'id' } }),
      `${at}.parents.params: "shelves.name" is not searchable`,
      `${at}.parents.params: "colour" is no param of the list`,
    ],
    [
      'has conditions of the types of fields and settings',
      () =>
        ofParents({
          where: [
            { field: 'size', is: 'large', when: 'lookback' },
            { anyOf: [{ field: 'colour', isNot: 'red', unless: 'closes' }] },
            { field: 'id', above: 1 },
          ],
        }),
      `${at}.parents.where: the setting "lookback" is not true or false`,
      `${at}.parents.where: "large" is not of the type of "size"`,
      `${at}.parents.where: "closes" is no setting of the replication config`,
      `${at}.parents.where: "shelves.colour" is not searchable`,
      `${at}.parents.where: 1 is not of the type of "id"`,
    ],
    [
      'looks back by days, in fields of the right type',
      () =>
        ofParents({
          recent: { lookbackDays: 'opens', fields: ['size', 'what'], as: 'seconds_text' },
        }),
      `${at}.parents.recent.lookbackDays: the setting "opens" is not an integer`,
      `${at}.parents.recent.as: "seconds_text" is not of the type of what takes it`,
      `${at}.parents.recent.fields: "shelves.what" is not searchable`,
    ],
    [
      'sends ahead what is sound, has its params, and asks a setting',
      () =>
        ofParents({
          before: {
            action: { ...openShelf, params: { ...openShelf.params, key: param.string('') } },
            when: 'start_date',
            where: [{ field: 'what', is: true }],
          },
        }),
      `${at}.parents.before.action.params.key.doc: is empty`,
      `${at}.parents.before.action: nothing gives the param "key"`,
      `${at}.parents.before.when: the setting "start_date" is not true or false`,
      `${at}.parents.before.where: "shelves.what" is not searchable`,
    ],
    [
      'has refusals by known codes',
      () => ofParents({ refusals: ['shelf_closed', 'shelf_burnt'] }),
      `${at}.parents.refusals: "shelf_burnt" is in no list of codes`,
    ],
  ];
  for (const [name, faults, ...expected] of rows)
    test(name, () => assert.deepEqual(faults(), expected));

  test('looks back only where it reads what changed', () => {
    const { entity: parent, params, recent } = sound.parents;
    assert.deepEqual(
      faultsOf({
        ...sound,
        parents: { entity: parent, params, recent },
      }),
      [`${at}.parents.recent: is nothing without changedOnly`],
    );
  });

  test('comes after its parents, for whoever reads entities in their order', () => {
    assert.deepEqual(findDefinitionFaults(kindOf({ things: things(), shelves })), [
      `${at}.parents: "shelves" does not stand before "things"`,
    ]);
  });
});

function writeOf(copies: WriteAction['copies']): WriteAction {
  return create({
    ...about,
    request: 'POST /things',
    params: { name: param.string('Name.') },
    record: 'thing',
    howToFindOut: 'Look.',
    ...(copies === undefined ? {} : { copies }),
  });
}

function faultsOfWrite(copies: WriteAction['copies']): readonly string[] {
  return faultsOf(sound, {
    actions: { list: listThings, create: { ...writeOf(copies), verb: 'create' } },
  });
}

describe('a write', () => {
  const atCopies = 'entities.things.actions.create.copies';

  test('brings its record into copies that there are, with all parts of the key', () => {
    assert.deepEqual(faultsOfWrite([{ entity: 'shelves' }]), []);
    assert.deepEqual(
      faultsOfWrite([{ entity: 'things', params: { shelf: 'shelf.id' }, given: 'name' }]),
      [],
    );
    assert.deepEqual(faultsOfWrite([]), []);
    assert.deepEqual(
      faultsOfWrite([
        { entity: 'cupboards' },
        { entity: 'things', given: 'shelf', notGiven: 'name' },
      ]),
      [
        `${atCopies}.0: "cupboards" has no copy`,
        `${atCopies}.1.params: "shelf" is missing`,
        `${atCopies}.1: "shelf" is no param`,
      ],
    );
  });

  test('brings it into the copy of its own entity unless it says else', () => {
    assert.deepEqual(faultsOfWrite(undefined), [`${atCopies}.0.params: "shelf" is missing`]);
  });
});
