import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeHurriedClock } from './support/hurried-clock.ts';
import {
  DATABASE,
  makeReplicationGround,
  startReplicating,
  upstreamsOf,
} from './support/replicating.ts';
import { startProxy, type PassingAnswer } from './support/tampering-proxy.ts';

const ZENDESK = 'support-ticketing';
const CHILDREN = ['ticket_comments', 'ticket_audits', 'ticket_metrics'];
const DAY_MS = 86_400_000;

/** An account that is copied through a proxy, by a service whose clock is fast: a minute is soon over. */
async function withCopiedAccount() {
  await using parts = new AsyncDisposableStack();
  const ground = parts.use(await makeReplicationGround(DATABASE));
  const proxy = parts.use(await startProxy(ground.sandbox.urls.zendeskSupport));
  const clock = makeHurriedClock(50);
  const running = parts.use(
    await startReplicating(ground, {
      clock,
      // By the fast clock, too.
      replication: { leaseTtlMs: 250_000 },
      upstreams: {
        ...upstreamsOf(ground.sandbox),
        [ZENDESK]: { baseUrl: proxy.url, limits: 'reactive' },
      },
    }),
  );
  const id = await running.create(ZENDESK);
  await running.settled(id);
  await running.assertExact(id, ZENDESK);
  const all = parts.move();
  return {
    clock,
    proxy,
    running,
    id,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Pages of Zendesk's exports, as it documents them. */
interface Page {
  readonly [name: string]: readonly { readonly id: number }[];
}

async function changedPage(
  answer: () => Promise<PassingAnswer>,
  change: (page: Page) => Page,
): Promise<PassingAnswer> {
  const { status, body } = await answer();
  return { status, body: JSON.stringify(change(JSON.parse(body) as Page)) };
}

describe(`what an export does not show yet, ${DATABASE.name}`, { skip: DATABASE.skip }, () => {
  let account: Awaited<ReturnType<typeof withCopiedAccount>>;
  before(async () => {
    account = await withCopiedAccount();
  });
  after(() => account[Symbol.asyncDispose]());

  test('is not said to be copied: a copy is as of a minute before it was asked for', async () => {
    const { running } = account;
    for (const more of [[], ['organizations']]) {
      // All organizations are listed; what has changed of them is exported.
      for (const name of ['tickets', 'users', ...CHILDREN, ...more]) {
        const { asOf, lastReadAt } = await running.entity(account.id, name);
        assert.ok(asOf !== null && lastReadAt !== null);
        // The database looks at its clock for each of them.
        assert.ok(lastReadAt.getTime() - asOf.getTime() > 59_900, name);
      }
      await running.sync(account.id);
    }
  });

  for (const entity of ['tickets', 'users'])
    test(`stays when all ${entity} are read again, with what belongs to it`, async () => {
      const { proxy, running, id } = account;
      const [key = ''] = (await running.copy(id, ZENDESK, 'ticket_comments'))
        .values()
        .map((each) => String(each[entity === 'tickets' ? 'ticket_id' : 'author_id']));
      // It changed a moment ago: all there is leaves it out, and what has changed since then has it a minute later.
      let hidden: Page[string] = [];
      proxy.tamper = ({ url }, answer) => {
        if (!url.pathname.endsWith(`/incremental/${entity}/cursor.json`)) return answer();
        return changedPage(answer, (page) => {
          const records = page[entity] ?? assert.fail();
          if (url.searchParams.get('start_time') !== '0')
            return { ...page, [entity]: [...records, ...hidden] };
          hidden = records.filter((each) => String(each.id) === key);
          return { ...page, [entity]: records.filter((each) => String(each.id) !== key) };
        });
      };
      // All is to be read again.
      account.clock.advance(31 * DAY_MS);
      await running.sync(id);
      assert.equal(hidden.length, 1, `${entity} were read again`);
      assert.ok((await running.copy(id, ZENDESK, entity)).has(key));
      await running.assertExact(id, ZENDESK);
      for (const each of [entity, ...CHILDREN])
        assert.equal(
          (await running.entity(id, each)).recordCount,
          (await running.copy(id, ZENDESK, each)).size,
        );
    });
});
