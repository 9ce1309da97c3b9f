import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConnectorError } from '@patchbay/connectors';
import { allKinds, checkSearch, findEntity, searchSchemaOf } from '@patchbay/connectors/engine';
import { ConnectorError, type Fault } from '@patchbay/connectors/definitions';
import type { JsonObject } from '../host.ts';
import { correctedCall } from './corrected-call.ts';
import { filterInOurWords } from './query-dialects.ts';
import type { ToolCallText } from './tool-call.ts';

const intercom = allKinds().find(({ kind }) => kind === 'customer-messaging');
assert.ok(intercom !== undefined);
const contacts = searchSchemaOf(findEntity(intercom, 'contacts'));
assert.ok(contacts !== undefined);

/** The correction of a search with the faults that the engine finds in it. */
async function corrected(args: JsonObject): Promise<JsonObject | undefined> {
  const call = { tool: 'search', arguments: args };
  return (await correctedCall(call, judged))?.arguments;
}

async function judged({ arguments: args }: ToolCallText): Promise<ConnectorError | undefined> {
  try {
    checkSearch(contacts as NonNullable<typeof contacts>, { query: {}, ...args });
    return undefined;
  } catch (error) {
    assert.ok(isConnectorError(error));
    return error;
  }
}

/** The correction where the check finds these faults at first, and nothing afterwards. */
async function correctedFaults(
  args: JsonObject,
  ...faults: readonly Omit<Fault, 'message' | 'errorCode'>[]
): Promise<JsonObject | undefined> {
  const complete = faults.map((each) => ({ ...each, message: '', errorCode: 'unknown' as const }));
  const given = { tool: 'execute', arguments: args };
  const judge = async (call: ToolCallText) =>
    call === given ? new ConnectorError('invalid_params', { faults: complete }) : undefined;
  return (await correctedCall(given, judge))?.arguments;
}

test('misspelt fields and operators are put right wherever they stand', async () => {
  const cases: readonly (readonly [given: JsonObject, right: JsonObject | undefined])[] = [
    [
      { query: { filter: { eq: { emial: 'ada@example.com' } } } },
      { query: { filter: { eq: { email: 'ada@example.com' } } } },
    ],
    [
      { query: { filter: { or: [{ lik: { name: '%a%' } }, { eq: { rol: 'user' } }] } } },
      { query: { filter: { or: [{ like: { name: '%a%' } }, { eq: { role: 'user' } }] } } },
    ],
    [
      { query: { filter: { eq: { 'custom_atributes.plan.name': 1 } } } },
      { query: { filter: { eq: { 'custom_attributes.plan.name': 1 } } } },
    ],
    [
      { query: { filter: { eq: { 'email.domain': 'x' } } } },
      { query: { filter: { eq: { email: 'x' } } } },
    ],
    [{ query: { sort: [{ created: 'asc' }, { upadted_at: 'nonsense' }] } }, undefined],
    [{ query: { sort: [{ upadted_at: 'asc' }] } }, { query: { sort: [{ updated_at: 'asc' }] } }],
    [{ query: { sort: [{ updated_at: 'desk' }] } }, { query: { sort: [{ updated_at: 'desc' }] } }],
    [
      { query: { sort: [{ field: 'upadted_at', order: 'asc' }] } },
      { query: { sort: [{ field: 'updated_at', order: 'asc' }] } },
    ],
    [{ fields: ['id', 'emial'] }, { fields: ['id', 'email'] }],
    [
      { query: { eq: { email: 'a' }, sort: [] } },
      { query: { sort: [], filter: { eq: { email: 'a' } } } },
    ],
    [
      { query: { eq: { email: 'a' }, filter: { like: { name: 'b' } } } },
      { query: { filter: { like: { name: 'b' }, eq: { email: 'a' } } } },
    ],
    [{ quer: { filter: {} } }, { query: { filter: {} } }],
  ];
  for (const [given, right] of cases)
    assert.deepEqual(await corrected(given), right, JSON.stringify(given));
});

test('where a name is not all that is wrong, there is no correction', async () => {
  assert.equal(
    await corrected({ query: { filter: { eq: { emial: 'a' }, gt: { updated_at: [] } } } }),
    undefined,
  );
  assert.equal(await corrected({ query: { filter: { eq: { nothing_like_it: 'a' } } } }), undefined);
  assert.equal(await correctedFaults({ a: 1 }, { field: 'b.c', didYouMean: 'd' }), undefined);
  assert.equal(await correctedFaults({ a: [1] }, { field: 'a.3', didYouMean: 'd' }), undefined);
  assert.equal(
    await correctedFaults({ params: { a: 7 } }, { field: 'params.a', didYouMean: 'zzz' }),
    undefined,
  );
});

test('a right name that is there already is not overwritten', async () => {
  const args = { params: { limt: 1, limit: 2 } };
  assert.equal(
    await correctedFaults(args, { field: 'params.limt', didYouMean: 'limit' }),
    undefined,
  );
});

test('params keep their order and all that was right', async () => {
  const args = { entity: 'users', params: { limt: 1, cursor: 'c' } };
  const right = await correctedFaults(args, { field: 'params.limt', didYouMean: 'limit' });
  assert.equal(JSON.stringify(right), '{"entity":"users","params":{"limit":1,"cursor":"c"}}');
});

function unknownNames(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
}

test('what is long is not put right: every try would keep everybody waiting', async () => {
  const judgedLengths: number[] = [];
  const tried = async (args: JsonObject) => {
    judgedLengths.length = 0;
    return correctedCall({ tool: 'search', arguments: args }, (call) => {
      judgedLengths.push(JSON.stringify(call).length);
      return judged(call);
    });
  };
  assert.equal(await tried({ query: { filter: { eq: unknownNames(18_000) } } }), undefined);
  assert.deepEqual(judgedLengths, []);
  await tried({ query: {}, ...unknownNames(1_400) });
  const characters = judgedLengths.reduce((sum, each) => sum + each, 0);
  assert.ok(judgedLengths.length > 1 && characters <= 131_072, `${characters}`);
});

/** A call with that many params of wrong names, each of which is put right on its own. */
function misspeltParams(count: number): ToolCallText {
  const names = Array.from({ length: count }, (_, index) => [`nmae_${index}`, 1]);
  return { tool: 'execute', arguments: { params: Object.fromEntries(names) } };
}

/** Finds those. */
function misspeltIn({ arguments: { params } }: ToolCallText): ConnectorError | undefined {
  const faults = Object.keys(params as JsonObject)
    .filter((name) => name.startsWith('nmae_'))
    .map((name) => ({
      field: `params.${name}`,
      errorCode: 'unknown' as const,
      message: 'is unknown',
      didYouMean: name.replace('nmae_', 'name_'),
    }));
  return faults.length === 0 ? undefined : new ConnectorError('invalid_params', { faults });
}

/** What comes of that many of them. */
async function triesOf(count: number): Promise<{ isRight: boolean; calls: number }> {
  let calls = 0;
  const right = await correctedCall(misspeltParams(count), async (call) => {
    calls += 1;
    return misspeltIn(call);
  });
  return { isRight: right !== undefined, calls };
}

test('ten mistakes are put right, with very many only a few calls are tried', async () => {
  assert.deepEqual(await triesOf(10), { isRight: true, calls: 11 });
  assert.deepEqual(await triesOf(50), { isRight: false, calls: 4 });
  assert.deepEqual(await triesOf(100), { isRight: false, calls: 2 });
  assert.deepEqual(await triesOf(150), { isRight: false, calls: 1 });
});

test('faults that one mend does away with may be many', async () => {
  const emails = Array.from({ length: 40 }, (_, index) => `${index}@example.com`);
  const or = emails.map((value) => ({ field: 'email', op: '=', value }));
  assert.deepEqual(await corrected({ query: { filter: { or } } }), {
    query: { filter: { or: emails.map((email) => ({ eq: { email } })) } },
  });
});

test('between tries that take long, others have the event loop, whoever else corrects', async () => {
  const tries = { sinceOthers: 0, most: 0 };
  const others = () => {
    tries.sinceOthers = 0;
    next = setImmediate(others);
  };
  let next = setImmediate(others);
  const judge = async (call: ToolCallText) => {
    const beganAt = performance.now();
    while (performance.now() - beganAt < 6);
    tries.sinceOthers += 1;
    tries.most = Math.max(tries.most, tries.sinceOthers);
    return misspeltIn(call);
  };
  const rights = await Promise.all(
    [5, 6, 7].map((count) => correctedCall(misspeltParams(count), judge)),
  );
  clearImmediate(next);
  assert.ok(rights.every((each) => each !== undefined));
  // Each of the three begins at once.
  assert.ok(tries.most <= 3, `${tries.most}`);
});

test('a filter of very many conditions is read in one go', { timeout: 30_000 }, () => {
  const names = Array.from({ length: 18_000 }, (_, index) => `field ${index}`);
  const ranges = Object.fromEntries(names.map((name) => [name, { gt: 1, lt: 2 }]));
  assert.deepEqual(filterInOurWords(ranges), {
    gt: Object.fromEntries(names.map((name) => [name, 1])),
    lt: Object.fromEntries(names.map((name) => [name, 2])),
  });
});
