import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findKind } from '@patchbay/connectors/engine';
import { openStore, type Store } from '../../src/index.ts';
import { CLUSTER_SKIP, startCluster, type CitusCluster } from '../support/citus/citus-cluster.ts';
import { logRemoteCommands, remoteTransactionsIn } from '../support/citus/remote-transactions.ts';
import { portOfConnector } from '../support/citus/shard-moves.ts';
import { searchOf } from '../copies/support/open-test-copies.ts';
import { END, FULL, numberedPage, startRun, takeLease } from '../support/sample-syncs.ts';

const PAGES = 5;

describe('pages of a read on Citus', { skip: CLUSTER_SKIP }, () => {
  const resources = new AsyncDisposableStack();
  let cluster: CitusCluster;
  let store: Store;
  before(async () => {
    cluster = resources.use(await startCluster());
    const { databaseUrl } = cluster;
    const preparing = await openStore({ databaseUrl, distribute: () => undefined });
    await preparing.close();
    await logRemoteCommands(cluster);
    store = resources.use(await openStore({ databaseUrl }));
  });
  after(() => resources.disposeAsync());

  test('are committed with position and lease check on one worker, without a second phase', async () => {
    const lease = await takeLease(store);
    const port = await portOfConnector(cluster, lease.connectorId);
    await startRun(store, lease);
    await store.syncs.beginRead(lease, FULL);
    const from = (await cluster.coordinator.readLog()).length;
    for (let number = 1; number <= PAGES; number++)
      await store.syncs.commitBatch(lease, numberedPage(number));
    await store.syncs.finishRead(lease, END);
    const log = (await cluster.coordinator.readLog()).slice(from);
    // Every two seconds Citus itself asks all nodes who waits for whom.
    const transactions = remoteTransactionsIn(log).filter(
      ({ commands }) => !commands.some((command) => command.includes('dump_local_wait_edges')),
    );
    const commits = transactions.filter(({ commands }) => commands.includes('COMMIT'));
    assert.ok(commits.length > PAGES, `only ${commits.length} commits were logged:\n${log}`);
    for (const { ports, isTwoPhase, commands } of transactions) {
      assert.deepEqual(ports, [port], commands.join('\n'));
      assert.equal(isTwoPhase, false, commands.join('\n'));
    }
  });

  test('their settings, and those of searches, are sent to the node once, which has nothing to warn of', async () => {
    const { connectorId } = await takeLease(store);
    const from = (await cluster.coordinator.readLog()).length;
    const { users } = findKind(END.kind).entities;
    assert.ok(users !== undefined);
    const copy = { connectorId, kind: END.kind, entity: FULL.entity };
    const search = searchOf(users, { query: { filter: { keyword: { real_name: 'ada' } } } });
    assert.deepEqual((await store.copies.search(copy, search)).hits, []);
    const log = (await cluster.coordinator.readLog()).slice(from);
    const sent = remoteTransactionsIn(log).map(({ commands }) => commands.join('\n'));
    assert.ok(
      sent.some((commands) => commands.includes('enable_seqscan')),
      sent.join('\n'),
    );
    for (const commands of sent)
      assert.ok(commands.split('enable_seqscan').length <= 2, `several times:\n${commands}`);
    for (const worker of cluster.workers)
      assert.doesNotMatch(await worker.readLog(), /already a transaction/);
  });

  test('a log in which a transaction has a second phase is told from one that has not', () => {
    const log = [
      "s/1 NOTICE:  issuing PREPARE TRANSACTION 'citus_0_1_1_1'",
      's/1 DETAIL:  on server postgres@127.0.0.1:7002 connectionId: 1',
      's/2 NOTICE:  issuing COMMIT',
      's/2 DETAIL:  on server postgres@127.0.0.1:7003 connectionId: 2',
    ].join('\n');
    const read = remoteTransactionsIn(log).map(({ ports, isTwoPhase }) => ({ ports, isTwoPhase }));
    assert.deepEqual(read, [
      { ports: [7002], isTwoPhase: true },
      { ports: [7003], isTwoPhase: false },
    ]);
  });
});
