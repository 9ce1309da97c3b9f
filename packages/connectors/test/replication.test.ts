import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entity } from '@patchbay/connectors';
import { searchSchemaOf, type ConnectorEngine } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { kindsUnderTest, type KindUnderTest } from './conformance/support/kinds-under-test.ts';
import { engineFor } from './conformance/support/operations.ts';
import { HandMadeCopy } from './support/hand-made-copy.ts';

const HOUR_MS = 3_600_000;

/** After the end of the seeded data. */
const START_MS = Date.UTC(2026, 1, 1);

const CONFIGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'chat-workspace': {
    start_date: '2000-01-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
    include_archived_channels: true,
    threads_ignore_no_replies: true,
  },
};

/** Records that a list gives and a copy leaves out, since they are deleted. */
const DELETED: Readonly<Record<string, (record: Readonly<Record<string, unknown>>) => boolean>> = {
  'support-ticketing users': ({ active }) => active === false,
};

interface Rig extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly engine: ConnectorEngine;
  readonly copy: HandMadeCopy;
  /** Lets so many hours pass. */
  pass(hours: number): void;
  /** A copy of its own of what the sandbox has now. */
  afresh(): HandMadeCopy;
}

async function rigFor(row: KindUnderTest, scale = 40): Promise<Rig> {
  let now = START_MS;
  const clock = () => now;
  const sandbox = await startSandbox({ scale, clock });
  const engine = engineFor(row, sandbox.urls[row.row.url]);
  const afresh = () => new HandMadeCopy(engine, clock, CONFIGS[row.kind.kind]);
  return {
    sandbox,
    engine,
    copy: afresh(),
    afresh,
    pass: (hours) => {
      now += hours * HOUR_MS;
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

function copiedEntities({ kind }: KindUnderTest): readonly Entity[] {
  return Object.values(kind.entities).filter(({ search }) => search !== undefined);
}

async function syncAll(copy: HandMadeCopy, row: KindUnderTest): Promise<void> {
  for (const { name } of copiedEntities(row)) await copy.sync(name);
}

for (const row of kindsUnderTest)
  describe(`the copy of ${row.kind.kind}`, () => {
    test('is full after the first read of everything, each record of its searchable types', async () => {
      await using rig = await rigFor(row);
      for (const entity of copiedEntities(row)) {
        const { mode, seen } = await rig.copy.sync(entity.name);
        assert.equal(mode, 'full', entity.name);
        const rows = rig.copy.rows(entity.name);
        assert.ok(rows.size > 0, `${entity.name} is empty`);
        assert.equal(new Set(seen).size, rows.size);
        const names = searchSchemaOf(entity)?.fields.map(({ name }) => name);
        for (const values of rows.values()) assert.deepEqual(Object.keys(values), names);
      }
    });

    for (const entity of copiedEntities(row)) {
      if (Object.values(entity.actions.list?.params ?? {}).some(({ isRequired }) => isRequired))
        continue;
      test(`has exactly the ${entity.name} that the list has`, async () => {
        await using rig = await rigFor(row);
        const { parents } = rig.copy.plan(entity.name);
        if (parents !== undefined) await rig.copy.sync(parents.entity);
        await rig.copy.sync(entity.name);
        const isDeleted = DELETED[`${row.kind.kind} ${entity.name}`] ?? (() => false);
        const types =
          entity.name === 'channels' ? { types: 'public_channel,private_channel,mpim,im' } : {};
        const listed = new Set<string>();
        for await (const record of rig.engine.all(entity.name, types))
          if (!isDeleted(record))
            listed.add(entity.key.map((name) => String(record[name])).join(':'));
        assert.deepEqual(new Set(rig.copy.rows(entity.name).keys()), listed);
      });
    }

    test('goes on from a position that was stored, in another process', async () => {
      await using rig = await rigFor(row, 2_200);
      let mostPages = 0;
      for (const { name } of copiedEntities(row)) {
        const read = rig.afresh().plan(name);
        if (read.parents !== undefined) continue;
        mostPages = Math.max(mostPages, (await rig.copy.sync(name)).pages);
        const first = await read.readPage({ parent: undefined, position: null });
        const keys = first.records.map(({ key }) => key);
        let { next } = first;
        while (next !== null) {
          const position = JSON.parse(JSON.stringify(next)) as unknown;
          rig.pass(1);
          const page = await rig.afresh().plan(name).readPage({ parent: undefined, position });
          keys.push(...page.records.map(({ key }) => key));
          ({ next } = page);
        }
        assert.deepEqual(new Set(keys), new Set(rig.copy.rows(name).keys()), name);
      }
      assert.ok(mostPages > 2);
    });

    test('reads increments where there are any, and all of it when a full read is due', async () => {
      await using rig = await rigFor(row);
      await syncAll(rig.copy, row);
      rig.pass(1);
      for (const { name, replicate } of copiedEntities(row)) {
        const expected = replicate?.increment === undefined ? 'full' : 'increment';
        assert.equal(rig.copy.plan(name).mode, expected, name);
      }
      rig.pass(24 * 31);
      for (const { name } of copiedEntities(row))
        assert.equal(rig.copy.plan(name).mode, 'full', name);
    });

    test('is the same after an increment with nothing new, and after the next full read', async () => {
      await using rig = await rigFor(row);
      await syncAll(rig.copy, row);
      const before = copiedEntities(row).map(({ name }) => rig.copy.rows(name));
      for (const hours of [1, 24 * 31]) {
        rig.pass(hours);
        await syncAll(rig.copy, row);
        copiedEntities(row).forEach(({ name }, index) => {
          assert.deepEqual(rig.copy.rows(name), before[index], name);
        });
      }
    });
  });
