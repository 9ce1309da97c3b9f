import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allKinds, checkSearch, searchSchemaOf } from '@patchbay/connectors/engine';
import { ATTACK_NUMBERS, parseNumbers } from './attack-numbers.ts';
import { ATTACKS, type Attack, type AttackRequest } from './attacks.ts';

const attacker = { readTokens: ['read'], writeToken: 'write', large: 'L', others: ['a', 'b', 'c'] };
const contacts = allKinds().find(({ kind }) => kind === 'customer-messaging')?.entities['contacts'];
/** Requests that are refused, which is what these are to be: nothing stands behind them. */
const REFUSED = new Set(['inflating-cursors', 'odd-bodies']);

function requestOf({ request, numbers }: Attack, nth: number): AttackRequest {
  const all = { ...ATTACK_NUMBERS, ...numbers };
  return request({ ...attacker, numbers: all, prepared: ['C 1'], nth });
}

/** The params of a search, as the service reads them. */
function searchParamsOf({ body }: AttackRequest): unknown {
  if (body === undefined || typeof body === 'string') return undefined;
  const { action, params } = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  return action === 'search' ? params : undefined;
}

describe('attacks', () => {
  test('have names of their own', () => {
    assert.equal(new Set(ATTACKS.map(({ name }) => name)).size, ATTACKS.length);
  });

  // A search that is refused at once attacks nothing.
  for (const attack of ATTACKS.filter(({ name }) => !REFUSED.has(name)))
    test(`${attack.name} asks for searches that the query language allows`, () => {
      assert.ok(contacts);
      const schema = searchSchemaOf(contacts);
      assert.ok(schema);
      for (let nth = 0; nth < 10; nth++) {
        const params = searchParamsOf(requestOf(attack, nth));
        if (params !== undefined) checkSearch(schema, params);
      }
    });
});

describe('numbers of attacks', () => {
  test('are given by name', () => {
    assert.deepEqual(parseNumbers(['clients=80', 'bytesPerSecond=Infinity']), {
      clients: 80,
      bytesPerSecond: Infinity,
    });
  });

  for (const wrong of ['clients', 'clients=', 'clients=many', 'clients=-1', 'people=3'])
    test(`${wrong} is refused`, () => {
      assert.throws(() => parseNumbers([wrong]), /is no number of an attack: clients,/);
    });
});
