import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { findKind } from '@patchbay/connectors/engine';
import { assertCopies, readUpstream } from './support/expected-copies.ts';
import {
  accountOf,
  DATABASE,
  makeReplicationGround,
  poll,
  startReplicating,
  type ReplicationGround,
} from './support/replicating.ts';
import { startProxy, type PassingAnswer, type TamperingProxy } from './support/tampering-proxy.ts';

const KIND = 'customer-messaging';
/** The upstream's other list of companies ends after 10,000. */
const MORE_THAN_PAGES_REACH = 12_000;
/** And tells how many there are, wherever it ends. */
const CLAIMED = 10_000;
/** Where that is only said: so many, a hundred at a time. */
const COMPANIES = 3_000;
const PAGES = COMPANIES / 100;
const NONE = JSON.stringify({ data: [], conversations: [], pages: {}, total_count: 0 });
const REFUSED = { status: 500, body: '{}' };

/** What the proxy does with the answer to a call of the scroll. */
type Spoil = (
  scrollParam: string | null,
  answer: () => Promise<PassingAnswer>,
) => Promise<PassingAnswer>;

/** Accounts of companies alone, and a sandbox whose time passes by hand. */
class CompanyGround implements AsyncDisposable {
  readonly ground: ReplicationGround;
  readonly proxy: TamperingProxy;
  /** The sandbox's, in milliseconds since 1970. */
  static nowMs = Date.UTC(2026, 5, 1);
  /** The params of the calls of the scroll, in order. */
  readonly scrolled: (string | null)[] = [];
  spoil: Spoil = (_, answer) => answer();
  /** What the list of pages says that there are, whatever there is. */
  claimed: number | undefined;

  private constructor(ground: ReplicationGround, proxy: TamperingProxy) {
    this.ground = ground;
    this.proxy = proxy;
    proxy.tamper = async ({ url }, answer) => {
      if (/\/(contacts|conversations)(\/search)?$/.test(url.pathname))
        return { status: 200, body: NONE };
      if (url.pathname.endsWith('/companies/list')) return this.#claiming(answer);
      if (!url.pathname.endsWith('/scroll')) return answer();
      const scrollParam = url.searchParams.get('scroll_param');
      this.scrolled.push(scrollParam);
      return this.spoil(scrollParam, answer);
    };
  }

  static async make(companies: number): Promise<CompanyGround> {
    const clock = () => CompanyGround.nowMs;
    const ground = await makeReplicationGround(DATABASE, { scale: companies * 5, clock });
    return new CompanyGround(ground, await startProxy(ground.sandbox.urls.intercom));
  }

  async #claiming(answer: () => Promise<PassingAnswer>): Promise<PassingAnswer> {
    const { status, body } = await answer();
    if (this.claimed === undefined) return { status, body };
    const page = JSON.parse(body) as { readonly total_count: number };
    return { status, body: JSON.stringify({ ...page, total_count: this.claimed }) };
  }

  start(replication: { readonly patienceMs?: number } = {}) {
    const upstreams = { [KIND]: { baseUrl: this.proxy.url } };
    return startReplicating(this.ground, { upstreams, replication });
  }

  /** Opens a scroll as another program does; it is over a minute after its last use. */
  async scrollBeside(): Promise<void> {
    const url = `${this.ground.sandbox.urls.intercom}/companies/scroll`;
    const answer = await fetch(url, { headers: { authorization: 'Bearer test' } });
    assert.equal(answer.status, 200);
  }

  async assertExact(connectorId: string): Promise<void> {
    const expected = await readUpstream({
      ...accountOf(KIND, this.ground.sandbox),
      baseUrl: this.proxy.url,
    });
    await assertCopies(this.ground.store, connectorId, findKind(KIND), expected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await this.ground[Symbol.asyncDispose]();
  }
}

function passTime(seconds: number): void {
  CompanyGround.nowMs += seconds * 1_000;
}

/** An answer, after which some of a minute has passed if another scroll was in the way. */
async function passTimeIfTaken(answer: () => Promise<PassingAnswer>): Promise<PassingAnswer> {
  const answered = await answer();
  if (answered.body.includes('scroll_exists')) passTime(21);
  return answered;
}

describe(`a list that can only be scrolled over, ${DATABASE.name}`, () => {
  test('of more than pages reach is copied whole, though it is interrupted, and its scroll expires', async () => {
    await using companies = await CompanyGround.make(MORE_THAN_PAGES_REACH);
    await using running = await companies.start();
    companies.spoil = async (_, answer) => {
      const call = companies.scrolled.length;
      // The upstream has moved on, and another scroll has to wait until that one has expired.
      if (call === 40) return answer().then(() => REFUSED);
      if (call === 120) passTime(61);
      return passTimeIfTaken(answer);
    };
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    const { recordCount, isComplete } = await running.entity(id, 'companies');
    assert.deepEqual([recordCount, isComplete], [MORE_THAN_PAGES_REACH, true]);
    assert.ok(companies.scrolled.filter((param) => param === null).length >= 3);
    await companies.assertExact(id);
  });
});

describe(`a scroll, ${DATABASE.name}`, () => {
  let companies: CompanyGround;
  before(async () => {
    companies = await CompanyGround.make(COMPANIES);
    companies.claimed = CLAIMED;
  });
  beforeEach(() => {
    companies.scrolled.length = 0;
    companies.spoil = (_, answer) => passTimeIfTaken(answer);
  });
  after(() => companies[Symbol.asyncDispose]());

  test('begins again after the process has gone', async () => {
    let id: string;
    {
      await using first = await companies.start();
      const half = Promise.withResolvers<void>();
      companies.spoil = async (_, answer) => {
        if (companies.scrolled.length === PAGES / 2) half.resolve();
        // Nothing comes any more while the process ends.
        return companies.scrolled.length < PAGES / 2 ? answer() : half.promise.then(() => REFUSED);
      };
      id = await first.create(KIND);
      await half.promise;
    }
    const { progress } = await companies.ground.store.syncs
      .entities(id, ['companies'])
      .then(([sync]) => sync ?? assert.fail());
    assert.ok((progress?.pages ?? 0) > 1, 'something was committed');
    companies.spoil = (_, answer) => passTimeIfTaken(answer);
    companies.scrolled.length = 0;
    await using second = await companies.start();
    assert.equal((await second.settled(id)).state, 'succeeded');
    assert.equal(companies.scrolled[0], null);
    assert.equal((await second.entity(id, 'companies')).recordCount, COMPANIES);
    await companies.assertExact(id);
  });

  test('that another one is in the way of waits, says so, and then begins', async () => {
    await using running = await companies.start();
    await companies.scrollBeside();
    companies.spoil = (_, answer) => answer();
    const id = await running.create(KIND);
    const waiting = await poll(async () => {
      const entity = await running.entity(id, 'companies');
      return entity.problem === null ? undefined : entity;
    });
    assert.equal(waiting.state, 'syncing');
    assert.equal(waiting.problem?.code, 'upstream_unavailable');
    assert.match(waiting.problem.message, /read by one program at a time, and another one is/);
    passTime(61);
    assert.equal((await running.settled(id)).state, 'succeeded');
    const { recordCount, problem } = await running.entity(id, 'companies');
    assert.deepEqual([recordCount, problem], [COMPANIES, null]);
  });

  test('that another one is in the way of for long fails with that reason, and the next run begins', async () => {
    await using running = await companies.start({ patienceMs: 300 });
    await companies.scrollBeside();
    companies.spoil = (_, answer) => answer();
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'failed');
    const { state, problem } = await running.entity(id, 'companies');
    assert.equal(state, 'failed');
    assert.match(problem?.message ?? '', /read by one program at a time, and another one is/);
    passTime(61);
    assert.equal((await running.sync(id)).state, 'succeeded');
    assert.equal((await running.entity(id, 'companies')).recordCount, COMPANIES);
  });

  test('deletes what has gone only after a whole pass', async () => {
    await using running = await companies.start({ patienceMs: 2_000 });
    const id = await running.create(KIND);
    assert.equal((await running.settled(id)).state, 'succeeded');
    const [gone = ''] = (await running.copy(id, KIND, 'companies')).keys();
    const withoutIt = async (answer: () => Promise<PassingAnswer>) => {
      const { status, body } = await passTimeIfTaken(answer);
      // As the upstream documents it.
      const page = JSON.parse(body) as { data?: { id: string }[] };
      const data = page.data?.filter((company) => company.id !== gone);
      return { status, body: JSON.stringify({ ...page, data }) };
    };
    // However often it begins again, it never gets to its end.
    let calls = 0;
    companies.spoil = async (scrollParam, answer) => {
      calls = scrollParam === null ? 1 : calls + 1;
      return calls < PAGES ? withoutIt(answer) : withoutIt(answer).then(() => REFUSED);
    };
    assert.equal((await running.sync(id)).state, 'failed');
    const copy = await running.copy(id, KIND, 'companies');
    assert.equal(copy.size, COMPANIES);
    companies.spoil = (_, answer) => withoutIt(answer);
    assert.equal((await running.sync(id)).state, 'succeeded');
    const keys = [...(await running.copy(id, KIND, 'companies')).keys()];
    assert.deepEqual([keys.length, keys.includes(gone)], [COMPANIES - 1, false]);
  });
});
