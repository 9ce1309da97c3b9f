import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { allKinds } from '@patchbay/connectors/engine';
import { searchedThings } from '@patchbay/connectors/testing';
import { openStore } from '../../src/open-store.ts';
import { kindOf } from '../copies/support/open-test-copies.ts';
import { CLUSTER_SKIP, startCluster } from '../support/citus/citus-cluster.ts';
import { LISTED_STATEMENTS } from '../support/citus/listed-statements.ts';
import {
  isExplainable,
  ReachReader,
  type Reach,
  type StatementReach,
} from '../support/citus/statement-reach.ts';
import { readStatements } from '../support/recorded-statements.ts';
import type { RecordedStatement } from '../support/statement-recorder.ts';

const FOLDER = process.env['RECORDED_STATEMENTS'] ?? '';
const NOT_RECORDED =
  FOLDER === '' && 'no recorded statements in RECORDED_STATEMENTS; npm run test:citus records them';

interface Explained extends StatementReach {
  readonly statement: RecordedStatement;
}

describe('statements of the suites on Citus', { skip: CLUSTER_SKIP || NOT_RECORDED }, () => {
  const resources = new AsyncDisposableStack();
  let explained: readonly Explained[];
  before(async () => {
    const { databaseUrl } = resources.use(await startCluster());
    // The suites search copies of a kind of their own.
    const kinds = [...allKinds(), kindOf([searchedThings])];
    await using store = await openStore({ databaseUrl, kinds, distribute: () => undefined });
    assert.equal(store.profile.isDistributed, true);
    await using reader = await ReachReader.open(databaseUrl);
    const all: Explained[] = [];
    for (const statement of await readStatements(FOLDER)) {
      if (isExplainable(statement)) all.push({ statement, ...(await reader.read(statement)) });
    }
    explained = all;
  });
  after(() => resources.disposeAsync());

  test('each goes to one node, or is listed with its reason', (context) => {
    const stray = explained.filter(({ reach, statement }) =>
      needsMore(reach) ? listedAs(statement) === undefined : reach === 'refused',
    );
    const routed = explained.filter(({ reach }) => reach === 'one-node');
    context.diagnostic(`${routed.length} of ${explained.length} statements go to one node`);
    assert.ok(routed.length > 100, `only ${routed.length} statements were explained`);
    assert.deepEqual(stray.map(toLine), []);
  });

  test('what is sent for kinds of tests is sent for kinds of the program, too', () => {
    const known = new Set(
      explained.flatMap(({ reach, statement }) =>
        reach === 'unknown-table' ? [] : statement.callers.slice(0, 1),
      ),
    );
    const only = explained.filter(
      ({ reach, statement: { callers } }) =>
        reach === 'unknown-table' && !known.has(callers[0] ?? ''),
    );
    assert.deepEqual(only.map(toLine), []);
  });

  test('nothing is listed that needs one node only', () => {
    const needed = new Set(
      explained.filter(({ reach }) => needsMore(reach)).map(({ statement }) => listedAs(statement)),
    );
    assert.deepEqual(
      Object.keys(LISTED_STATEMENTS).filter((name) => !needed.has(name)),
      [],
    );
  });
});

test('operators are told of every statement that needs more than one node', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/scaling.md'), 'utf8');
  for (const [name, reason] of Object.entries(LISTED_STATEMENTS)) {
    const [, functionName = ''] = name.split(' ');
    assert.ok(page.includes(`\`${functionName}\``), `${functionName} is not in docs/scaling.md`);
    assert.ok(page.includes(reason), `docs/scaling.md gives no or another reason: ${reason}`);
  }
});

function needsMore(reach: Reach): boolean {
  return reach === 'every-node' || reach === 'several-nodes';
}

function listedAs({ callers }: RecordedStatement): string | undefined {
  return callers.find((caller) => Object.hasOwn(LISTED_STATEMENTS, caller));
}

function toLine({ statement, reach, reason }: Explained): string {
  const { callers, text } = statement;
  return `${callers.slice(0, 3).join(' < ')}: ${reach} ${reason} ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
}
