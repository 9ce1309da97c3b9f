import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectorError, isConnectorError } from '@patchbay/connectors';
import { systemClock } from '@patchbay/connectors/engine';
import {
  StoreError,
  type IdempotencyRecord,
  type IntentOfCall,
  type Intent,
  type Intents,
  type StoredAnswer,
} from '@patchbay/store';
import { makeLogger } from '../log.ts';
import { CallDeadline } from './call-deadline.ts';
import { OncePerKey } from './idempotency.ts';
import type { Executed } from './outcome.ts';

const KEPT = { status: 200, body: '{}' };
const EXECUTED = { tookMs: 1 } as Executed;
const INTENT = { scope: 'connector', key: 'key', fingerprint: 'fingerprint' };
const DOWN = new StoreError('database_silent', 'The database is silent.');
const READ_ONLY = new StoreError('database_unreachable', 'It is read-only.', { didNothing: true });

type KeptRecord = IdempotencyRecord & Pick<Intent, 'callNumber'>;

/**
 * One record, in a database that says nothing where it is down: intents it stores all the same; answers it stores, and what
 * is to be forgotten it forgets, when it is told to catch up.
 */
function makeDatabase() {
  let record: KeptRecord | undefined;
  let isDown = false;
  const late: (() => void)[] = [];
  let untilUp = Promise.withResolvers<void>();
  const answer = async <T>(done: T): Promise<T> => {
    if (!isDown) return done;
    await untilUp.promise;
    throw DOWN;
  };
  const intents: Intents = {
    begin: ({ fingerprint, instanceId, callNumber, replacesOwn }) => {
      const isOwn = record?.instanceId === instanceId && record.callNumber < callNumber;
      const present = replacesOwn && isOwn && record?.answer === null ? undefined : record;
      if (present === undefined)
        record = { fingerprint, instanceId, callNumber, answer: null, isOwnerAlive: true };
      return answer(present);
    },
    finish: (intent, kept) => {
      change(() => {
        if (record?.answer === null && isOf(intent)) record = { ...record, answer: kept };
      });
      return answer(undefined);
    },
    release: (intent) => {
      change(() => forget(intent));
      return answer(undefined);
    },
  };
  const change = (done: () => void) => {
    if (isDown) late.push(done);
    else done();
  };
  const isOf = ({ instanceId, callNumber }: IntentOfCall) =>
    record?.instanceId === instanceId && record.callNumber === callNumber;
  const forget = (intent: IntentOfCall) => {
    if (record?.answer === null && isOf(intent)) record = undefined;
  };
  return {
    intents,
    fail: () => {
      isDown = true;
      untilUp = Promise.withResolvers();
    },
    recover: async () => {
      isDown = false;
      untilUp.resolve();
      // What waited for it learns that it failed.
      await new Promise((resolve) => setImmediate(resolve));
    },
    catchUp: () => late.splice(0).forEach((done) => done()),
    clear: () => {
      record = undefined;
    },
  };
}

function makeOnce(
  { intents }: Pick<ReturnType<typeof makeDatabase>, 'intents'>,
  instanceId = 'this one',
) {
  let writes = 0;
  const logger = makeLogger({ level: 'silent' });
  const once = new OncePerKey<Executed>({
    intents,
    instanceId,
    logger,
  });
  const run = (
    write: () => Promise<Executed> = () => Promise.resolve(EXECUTED),
    outcome: () => StoredAnswer = () => KEPT,
    key = INTENT.key,
  ) =>
    once.run({
      ...INTENT,
      key,
      deadline: new CallDeadline(systemClock, 20),
      keeper: { outcome, error: () => ({ status: 500, body: '{}' }) },
      write: () => {
        writes += 1;
        return write();
      },
      lost,
    });
  return { run, writes: () => writes, tellAll: () => once.tellAll() };
}

function refuse(): Promise<never> {
  return Promise.reject(new ConnectorError('invalid_params', { faults: [] }));
}

function unwritable(): never {
  throw new ConnectorError('upstream_contract_broken', {});
}

test('a write that has happened keeps its key, whatever its answer cannot be written for', async () => {
  const { run, writes } = makeOnce(makeDatabase());
  await assert.rejects(run(undefined, unwritable), isCode('upstream_contract_broken'));
  assert.deepEqual(await run(), { kept: { status: 500, body: '{}' } });
  assert.equal(writes(), 1);
});

test('a write whose key is freed by its process on its way out is sent by a repetition', async () => {
  const database = makeDatabase();
  const { intents } = database;
  const other = { ...INTENT, instanceId: 'another one', callNumber: 1, replacesOwn: false };
  await intents.begin(other);
  const begin: Intents['begin'] = async (intent) => {
    const present = await intents.begin(intent);
    // It frees the key, as nothing was sent, and signs off.
    if (present?.instanceId === 'another one') await intents.release(other);
    return present && { ...present, isOwnerAlive: false };
  };
  const { run, writes } = makeOnce({ intents: { ...intents, begin } });
  assert.equal(await run(), EXECUTED);
  assert.equal(writes(), 1);
  assert.deepEqual(await run(), { kept: KEPT });
});

describe('a write with a key, the database silent', () => {
  test('that was never sent is sent by a repetition, though its intent is there', async () => {
    const database = makeDatabase();
    const { run, writes } = makeOnce(database);
    database.fail();
    await assert.rejects(run(), isCode('not_ready'));
    await assert.rejects(run(), isCode('idempotency_in_progress'));
    await database.recover();
    assert.equal(await run(), EXECUTED);
    assert.equal(writes(), 1);
    assert.deepEqual(await run(), { kept: KEPT });
    assert.equal(writes(), 1);
  });

  test('that is sent by a repetition keeps its intent, though that of the first call is forgotten late', async () => {
    const database = makeDatabase();
    const { run, writes } = makeOnce(database);
    const refused = run(() => {
      database.fail();
      throw new ConnectorError('invalid_params', { faults: [] });
    });
    await assert.rejects(refused, isCode('invalid_params'));
    await database.recover();
    const sent = run(() => {
      database.catchUp();
      return Promise.resolve(EXECUTED);
    });
    assert.equal(await sent, EXECUTED);
    assert.equal(writes(), 2);
    assert.deepEqual(await run(), { kept: KEPT });
    assert.equal(writes(), 2);
  });

  test('that was sent is never sent again, whatever became of an earlier intent', async () => {
    const database = makeDatabase();
    const { run, writes } = makeOnce(database);
    database.fail();
    await assert.rejects(run(), isCode('not_ready'));
    await database.recover();
    const sent = run(() => {
      database.fail();
      return Promise.resolve(EXECUTED);
    });
    // Its answer could not be stored, yet goes out.
    assert.equal(await sent, EXECUTED);
    await assert.rejects(run(), isCode('idempotency_in_progress'));
    await database.recover();
    await run();
    assert.equal(writes(), 1);
  });

  test('that was sent is never sent again, though a repetition could not look its intent up', async () => {
    const database = makeDatabase();
    const { run, writes } = makeOnce(database);
    const sent = run(() => {
      database.fail();
      return Promise.resolve(EXECUTED);
    });
    assert.equal(await sent, EXECUTED);
    await database.recover();
    database.fail();
    await assert.rejects(run(), isCode('not_ready'));
    await database.recover();
    assert.deepEqual(await run(), { kept: KEPT });
    assert.equal(writes(), 1);
  });

  test('is not lost by what another process says late of an earlier call', async () => {
    const database = makeDatabase();
    const { run } = makeOnce(database);
    const begin: Intents['begin'] = async (intent) => {
      const present = await database.intents.begin(intent);
      database.fail();
      return present && { ...present, isOwnerAlive: false };
    };
    const another = makeOnce({ intents: { ...database.intents, begin } }, 'another one');
    const first = run(async () => {
      await assert.rejects(another.run(), isCode('not_ready'));
      await database.recover();
      return await refuse();
    });
    await assert.rejects(first, isCode('invalid_params'));
    const second = run(() => {
      database.catchUp();
      return refuse();
    });
    await assert.rejects(second, isCode('invalid_params'));
    assert.equal(await run(), EXECUTED);
  });

  test('is told to other processes once it speaks again, and is not in progress for ever', async () => {
    const database = makeDatabase();
    const another = makeOnce(database, 'another one');
    for (const happens of [true, false]) {
      const { run, tellAll } = makeOnce(database);
      const sent = run(() => {
        database.fail();
        if (happens) return Promise.resolve(EXECUTED);
        throw new ConnectorError('invalid_params', { faults: [] });
      });
      await (happens ? sent : assert.rejects(sent, isCode('invalid_params')));
      await tellAll();
      await database.recover();
      await assert.rejects(another.run(), isCode('idempotency_in_progress'));
      await tellAll();
      assert.deepEqual(await another.run(), happens ? { kept: KEPT } : EXECUTED);
      database.clear();
    }
    const { run, tellAll } = makeOnce(database);
    database.fail();
    await assert.rejects(run(), isCode('not_ready'));
    await database.recover();
    await assert.rejects(another.run(), isCode('idempotency_in_progress'));
    await tellAll();
    assert.equal(await another.run(), EXECUTED);
  });
});

describe('what became of a write', () => {
  test('is not told of one whose intent the database refused', async () => {
    const released: string[] = [];
    const { run, tellAll } = makeOnce({
      intents: {
        begin: () => Promise.reject(READ_ONLY),
        finish: () => Promise.resolve(),
        release: ({ key }) => Promise.resolve(void released.push(key)),
      },
    });
    await assert.rejects(run(), READ_ONLY);
    await tellAll();
    assert.deepEqual(released, []);
  });

  test('is told of one key, whatever keeps that of another from being told', async () => {
    const told: string[] = [];
    let areDown: readonly string[] = ['a', 'b'];
    const finish = ({ key }: IntentOfCall) => {
      if (areDown.includes(key)) return Promise.reject(DOWN);
      told.push(key);
      return Promise.resolve();
    };
    const { run, tellAll } = makeOnce({
      intents: { begin: () => Promise.resolve(undefined), finish, release: unwritable },
    });
    for (const key of areDown) await run(undefined, undefined, key);
    areDown = ['a'];
    await tellAll();
    await tellAll();
    assert.deepEqual(told, ['b']);
    areDown = [];
    await tellAll();
    assert.deepEqual(told, ['b', 'a']);
  });
});

function lost(): ConnectorError {
  return new ConnectorError('write_outcome_unknown', {
    entity: 'a',
    action: 'b',
    howToFindOut: '',
  });
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => isConnectorError(error) && error.code === code;
}
