import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openStore } from '@patchbay/store';
import { SERVER } from '@patchbay/store/testing';
import { Client } from 'pg';
import { simulate, type Schedule } from './schedule-model.ts';

/** 5,000 connectors, nine tenths of them of one application beside fifty small ones, and six hours. */
const HOURS: Schedule = {
  applications: [4_500, ...Array.from({ length: 50 }, () => 10)],
  interval: 900,
  jitter: 0.1,
  // A third more room than the interval needs, as in the benchmark.
  capacity: 7.5,
  syncTakes: 5,
  // As many syncs as fit until the next look are about what the service asks for at once.
  lookEvery: 10,
  duration: 21_600,
  seed: 1,
};

/** What the hand clock of the database says, and what the queue has at the beginning: all that is due. */
const BEGINNING = `
  create schema hand;
  create table hand.clock (at timestamptz not null);
  insert into hand.clock values (timestamptz 'epoch');
  create function hand.now() returns timestamptz stable language sql as 'select at from hand.clock';
  do $$ begin
    execute format('alter database %I set search_path = hand, pg_catalog', current_database());
  end $$;
`;

/** The n-th connector and the n-th application have ids in the order of their numbers. */
const ID = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;

describe('the model of the schedule, and looks of the service', { skip: SERVER.skip }, () => {
  test('choose the same connectors at the same times for six hours', async () => {
    await using service = await startQueue(HOURS.applications);
    let looks = 0;
    let syncs = 0;
    for (const { second, connectors, dueAgain } of modelled(HOURS)) {
      const limit = Math.floor(HOURS.capacity * HOURS.lookEvery);
      const due = await service.look(second, limit);
      assert.deepEqual(due, connectors, `at ${second} s`);
      await service.putBack(connectors, dueAgain);
      looks += 1;
      syncs += due.length;
    }
    assert.equal(looks, HOURS.duration / HOURS.lookEvery);
    // Once for every interval and sync at least, but for the last.
    assert.ok(syncs > 5_000 * 22, `only ${syncs} syncs`);
  });
});

interface Look {
  readonly second: number;
  readonly connectors: number[];
  readonly dueAgain: number[];
}

/** By look, also of those at which there was nothing to begin. */
function modelled(schedule: Schedule): readonly Look[] {
  const looks = Array.from(
    { length: schedule.duration / schedule.lookEvery },
    (_, index): Look => ({
      second: index * schedule.lookEvery,
      connectors: [],
      dueAgain: [],
    }),
  );
  simulate(schedule, ({ second, connector, dueAgain }) => {
    const look = looks[second / schedule.lookEvery];
    look?.connectors.push(connector);
    look?.dueAgain.push(dueAgain);
  });
  return looks;
}

interface HandQueue extends AsyncDisposable {
  /** Asks the service what is due at that second; by number. */
  look(second: number, limit: number): Promise<readonly number[]>;
  putBack(connectors: readonly number[], dueAgain: readonly number[]): Promise<void>;
}

/** The service's own queue on a database in which `now()` is what a hand clock says. */
async function startQueue(applications: readonly number[]): Promise<HandQueue> {
  const resources = new AsyncDisposableStack();
  const place = await SERVER.make();
  resources.defer(() => place.remove());
  const schema = await openStore(place.options);
  const before = new Client(await place.connection());
  await before.connect();
  await before.query(BEGINNING);
  await before.query(
    `insert into patchbay.sync_queue (connector_id, application_id, kind, look_at)
     select (select ${ID}), (select ${ID} from unnest(array[application]) as a (n)), 'chat-workspace',
       timestamptz 'epoch'
     from unnest($1::int[], $2::int[]) as c (n, application)`,
    [
      applications.flatMap((count) => Array.from({ length: count })).map((_, index) => index),
      applications.flatMap((count, number) => Array.from({ length: count }, () => number)),
    ],
  );
  await before.query('analyze patchbay.sync_queue');
  await before.end();
  await schema.close();
  // What is set for a database holds for connections that come after it.
  const store = resources.use(await openStore(place.options));
  const client = new Client(await place.connection());
  await client.connect();
  resources.defer(() => client.end());
  return {
    look: async (second, limit) => {
      await client.query(
        `update hand.clock set at = timestamptz 'epoch' + $1::int * interval '1 s'`,
        [second],
      );
      const due = await store.syncs.dueConnectors(limit);
      return due.map(({ connectorId }) => Number(connectorId.slice(-12)));
    },
    putBack: async (connectors, dueAgain) => {
      await client.query(
        `update patchbay.sync_queue set look_at = timestamptz 'epoch' + back * interval '1 s'
         from unnest($1::int[], $2::int[]) as c (n, back) where connector_id = ${ID}`,
        [connectors, dueAgain],
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
