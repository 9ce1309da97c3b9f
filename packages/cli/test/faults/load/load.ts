import type { Findings } from '../findings.ts';
import { at, listAt, textAt } from '../json.ts';
import { becomesTrue, pause, repeat } from '../pause.ts';
import { pick, type Random } from '../random.ts';
import type { World } from '../world/world.ts';
import { Caller, type CallFacts } from './caller.ts';
import { Churn } from './churn.ts';
import { COLLECTION, connectorCall, executeCall, makeTenant, type Tenant } from './tenant.ts';
import { Writes } from './writes.ts';

export interface LoadOptions {
  readonly world: World;
  readonly findings: Findings;
  readonly random: Random;
  readonly isClockSet: boolean;
}

const WRITERS = 3;
const PAUSE_MS = 50;
const HEALTH_EVERY_MS = 100;
/** How long what is under way may still be repeated once the load is over. */
const SETTLED_WITHIN_MS = 60_000;
const LIST_LIMIT = 50;
const LARGEST = { list: 1_000, search: 10_000 };
/** What has to work for the service to be said to work. */
const VITAL = [
  'create messages',
  'get users',
  'list users',
  'search users',
  'search channel_messages',
  'read a connector',
  'create a connector',
  'delete a connector',
];

/** One tenant at work: writes, reads, lists, searches, connectors, and a copy being made. */
export class Load implements AsyncDisposable {
  readonly caller: Caller;
  readonly tenant: Tenant;
  readonly writes: Writes;
  readonly churn: Churn;
  readonly #options: LoadOptions;
  readonly #working: Promise<unknown>;
  readonly #health: { stop(): Promise<void> };
  #endedAt = Infinity;

  private constructor(options: LoadOptions, caller: Caller, tenant: Tenant) {
    const { findings, random } = options;
    this.#options = options;
    this.caller = caller;
    this.tenant = tenant;
    this.writes = new Writes({ caller, findings, random, connector: tenant.slack });
    this.churn = new Churn(caller);
    this.#health = repeat(HEALTH_EVERY_MS, () => caller.checkHealth());
    this.#working = this.#work();
  }

  static async start(options: LoadOptions): Promise<Load> {
    const caller = new Caller(options);
    await caller.logIn();
    return new Load(options, caller, await makeTenant(caller, options.world.sandbox));
  }

  get facts(): CallFacts {
    return this.caller.facts;
  }

  /** Resolves with what did not work within that time from now on; empty where all did. */
  async untilWorking(withinMs: number): Promise<readonly string[]> {
    const startedAt = performance.now();
    const missing = () => this.caller.hasWorkedSince(VITAL, startedAt);
    await becomesTrue(() => missing().length === 0, withinMs);
    return missing();
  }

  /** Begins nothing more, and waits for what is under way. */
  async end(): Promise<void> {
    this.#endedAt = performance.now();
    await this.#working;
    await this.#health.stop();
  }

  /** Also of a run that could not be carried through. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }

  /** A call whose answer is as large as can be. */
  async callHeavily(): Promise<void> {
    const { slack } = this.tenant;
    const search = { query: { filter: { like: { real_name: '%e%' } } }, limit: LARGEST.search };
    const calls = [
      { entity: 'users', action: 'list', params: { limit: LARGEST.list } },
      { entity: 'users', action: 'search', params: search },
    ];
    const call = executeCall(slack, pick(calls, this.#options.random), { timeoutMs: 10_000 });
    await this.caller.call({ ...call, name: `large ${call.name}` });
  }

  /** Makes a connector with much to copy, as fast as it can be. */
  async startCopy(): Promise<void> {
    await this.tenant.hurry();
    await this.caller.call(connectorCall('customer-messaging', {}));
  }

  async #work(): Promise<void> {
    const { channels } = this.tenant;
    const until = { isOver: this.#isOver, mayGoOn: this.#mayGoOn };
    await Promise.all([
      ...channels.slice(0, WRITERS).map((channel) => this.writes.writeTo(channel, until)),
      this.churn.run(this.#isOver),
      this.#again(() => this.#getUser()),
      this.#again(() => this.#listUsers()),
      this.#again(() => this.#searchUser()),
      this.#again(() => this.#searchOwnMessage()),
      this.#again(() => this.#readConnector()),
    ]);
  }

  readonly #isOver = (): boolean => this.#endedAt < Infinity;

  readonly #mayGoOn = (): boolean => performance.now() < this.#endedAt + SETTLED_WITHIN_MS;

  async #again(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver()) {
      await work();
      await pause(PAUSE_MS);
    }
  }

  async #getUser(): Promise<void> {
    const user = pick(this.tenant.users, this.#options.random);
    const reply = await this.#execute('users', 'get', { user });
    this.#expect(reply, 'get users', (result) => at(result, 'id') === user);
  }

  async #listUsers(): Promise<void> {
    const reply = await this.#execute('users', 'list', { limit: LIST_LIMIT });
    const expected = this.tenant.users.slice(0, LIST_LIMIT).join();
    this.#expect(reply, 'list users', (result) => idsOf(result).join() === expected);
  }

  async #searchUser(): Promise<void> {
    const user = pick(this.tenant.users, this.#options.random);
    const params = { query: { filter: { eq: { id: user } } }, fields: ['id'] };
    const reply = await this.#execute('users', 'search', params);
    const isFound = (result: unknown) => idsOf(at(result, 'hits')).join() === user;
    this.#expect(reply, 'search users', isFound);
  }

  /** Our own writes are in the copy before they are answered. */
  async #searchOwnMessage(): Promise<void> {
    const known = this.writes.all.filter(({ isCopied }) => isCopied);
    if (known.length === 0) return;
    const { channel, text, acknowledgedAt } = pick(known, this.#options.random);
    const params = { query: { filter: { eq: { channel, text } } }, fields: ['text'] };
    const reply = await this.#execute('channel_messages', 'search', params);
    this.#expect(reply, 'search channel_messages', (result) => {
      const { length } = listAt(result, 'hits');
      if (length === 1) return true;
      const asOf = Date.parse(textAt(at(result, 'sync'), 'as_of'));
      this.#options.findings.add('wrong', missedMessage(length, asOf > acknowledgedAt));
      return true;
    });
  }

  async #readConnector(): Promise<void> {
    const { slack } = this.tenant;
    const reply = await this.caller.call({
      name: 'read a connector',
      path: `${COLLECTION}/${slack}`,
    });
    if (reply?.status === 200 && at(reply.body, 'id') !== slack)
      this.#options.findings.add('wrong', 'read a connector: 200 with another one');
  }

  async #execute(entity: string, action: string, params: object) {
    const call = executeCall(this.tenant.slack, { entity, action, params });
    return await this.caller.call(call);
  }

  #expect(
    reply: { readonly status: number; readonly body: unknown } | undefined,
    name: string,
    isRight: (result: unknown) => boolean,
  ): void {
    if (reply?.status !== 200 || isRight(at(reply.body, 'result'))) return;
    this.#options.findings.add('wrong', `${name}: 200 with something else`);
  }
}

function idsOf(records: unknown): readonly string[] {
  return Array.isArray(records) ? records.map((record) => textAt(record, 'id')) : [];
}

function missedMessage(hits: number, claimsIt: boolean): string {
  if (hits > 1) return 'search channel_messages: one message, several hits';
  return claimsIt
    ? 'search channel_messages: as_of claims a message that is not there'
    : 'search channel_messages: our own acknowledged write is not there';
}
