import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryOnce, SERVER } from '@patchbay/store/testing';
import { createSlack, logIn } from './support/fleet-client.ts';
import { makeFleet, type Fleet, type FleetProcess } from './support/fleet.ts';

const CONNECTORS = 60;
/** None of three has nearly nothing, and none nearly everything. */
const LEAST = 0.1;
const MOST = 0.6;
/** `leaseTtlMs` of the service, and `lookEveryMs` with all that chance may add to it. */
const LEASE_MS = 30_000;
const LOOK_MS = 1_250;

/** Keeps, by the database's clock, when leases pass on from one process to another. */
const TAKEOVERS = `
  create table public.takeovers (
    connector_id uuid, taken_from text, taken_by text, renewed_at timestamptz, taken_at timestamptz
  );
  create function public.note_takeover() returns trigger language plpgsql as $$ begin
    insert into public.takeovers values (
      old.connector_id, old.lease_owner, new.lease_owner,
      old.lease_expires_at - ${LEASE_MS} * interval '1 millisecond', clock_timestamp()
    );
    return null;
  end $$;
  create trigger note_takeover after update of lease_owner on patchbay.connector_syncs
    for each row when (old.lease_owner <> new.lease_owner) execute function public.note_takeover();
`;

describe('three processes that replicate', { skip: SERVER.skip }, () => {
  let fleet: Fleet;
  let api: FleetProcess;
  let workers: FleetProcess[];
  before(async () => {
    fleet = await makeFleet({ scale: 10 });
    api = await fleet.start('api', { PATCHBAY_MAX_CONNECTORS_PER_USER: String(2 * CONNECTORS) });
    workers = await Promise.all(Array.from({ length: 3 }, () => fleet.start('worker')));
  });
  after(() => fleet[Symbol.asyncDispose]());

  const query = async (sql: string) => queryOnce(await fleet.place.connection(), sql);
  /** How many runs have ended well, of how many. */
  const runs = async () => {
    const [row] = await query(
      `select count(*)::int as runs, count(*) filter (where state = 'succeeded')::int as done
      from patchbay.sync_runs`,
    );
    return { runs: Number(row?.['runs']), done: Number(row?.['done']) };
  };
  const untilDone = async (count: number) => {
    while ((await runs()).done < count) await wait(200);
  };

  test('share what is due, and none of them starves', async () => {
    const token = await logIn(api.url);
    for (let count = 0; count < CONNECTORS; count++)
      await createSlack(api.url, token, `xoxb-${count}`);
    await untilDone(CONNECTORS);
    let syncs: number[];
    do {
      await wait(100);
      syncs = workers.map(syncsOf);
    } while (syncs.reduce((sum, count) => sum + count) < CONNECTORS);
    const shares = syncs.map((count) => count / CONNECTORS);
    process.stderr.write(`of ${CONNECTORS} connectors each has synced ${syncs.join(', ')}\n`);
    for (const share of shares) assert.ok(share >= LEAST && share <= MOST, shares.join(', '));
  });

  test('take over the runs of one that was killed', async () => {
    const { done } = await runs();
    // Slow enough for the kill to find runs of every process under way.
    const slowness = fleet.sandbox.faults.add({ kind: 'delay', delayMs: 300 });
    await query(TAKEOVERS);
    await query('update patchbay.connector_syncs set due_at = now()');
    await query('update patchbay.sync_queue set look_at = now(), wakes = wakes + 1');
    const [killed, ...others] = workers;
    assert.ok(killed !== undefined);
    const { instance_id: instance } = killed.log().find(({ msg }) => msg === 'listening') ?? {};
    assert.ok(typeof instance === 'string');
    const held = async () => {
      const rows = await query(
        `select connector_id from patchbay.connector_syncs
        where lease_owner::text = '${instance}' and lease_expires_at > now()`,
      );
      return rows.map(({ connector_id: id }) => String(id));
    };
    while ((await held()).length < 2);
    await killed.kill();
    const killedAt = performance.now();
    const orphans = await held();
    assert.ok(orphans.length > 0);
    const toldBefore = others.map((worker) => syncLines(worker).length);
    slowness.release();
    // Its leases run out after 30 s, and another process looks every second.
    while ((await held()).length > 0) await wait(200);
    await untilDone(done + CONNECTORS);
    const seconds = ((performance.now() - killedAt) / 1_000).toFixed(1);
    process.stderr.write(`all had been synced ${seconds} s after the kill\n`);
    const synced = () =>
      new Set(
        others.flatMap((worker, index) =>
          syncLines(worker)
            .slice(toldBefore[index])
            .map(({ connector_id: id }) => String(id)),
        ),
      );
    // The database knows before the log has come here.
    while (!orphans.every((id) => synced().has(id))) await wait(100);
    const takeovers = await query(
      `select connector_id, extract(epoch from taken_at - renewed_at)::float8 * 1000 as after_ms
      from public.takeovers where taken_from = '${instance}'`,
    );
    assert.deepEqual(
      new Set(takeovers.map(({ connector_id: id }) => String(id))),
      new Set(orphans),
    );
    const afterMs = takeovers.map((row) => Number(row['after_ms']));
    process.stderr.write(
      `taken over ${afterMs.map(Math.round).join(', ')} ms after the last renewal\n`,
    );
    for (const ms of afterMs) assert.ok(ms >= LEASE_MS && ms <= LEASE_MS + LOOK_MS, String(ms));
  });
});

function syncLines(worker: FleetProcess): readonly Readonly<Record<string, unknown>>[] {
  return worker.log().filter(({ msg }) => msg === 'sync');
}

function syncsOf(worker: FleetProcess): number {
  return syncLines(worker).filter(({ state }) => state === 'succeeded').length;
}
