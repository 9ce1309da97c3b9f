import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { array, asyncProperty, assert as check, nat } from 'fast-check';
import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import { sizeOf } from '@patchbay/connectors/testing';
import {
  StoreError,
  type IdempotencyRecord,
  type Intent,
  type IntentOfCall,
  type Intents,
  type StoredAnswer,
} from '@patchbay/store';
import { makeLogger } from '../log.ts';
import { CallDeadline } from './call-deadline.ts';
import { OncePerKey } from './idempotency.ts';
import type { Executed, Kept } from './outcome.ts';

const EXECUTED = { tookMs: 1 } as Executed;
const DONE: StoredAnswer = { status: 200, body: 'done' };
const FAILED: StoredAnswer = { status: 504, body: 'failed' };
const REQUEST = { scope: 'connector', key: 'key', fingerprint: 'fingerprint' };
const TIMEOUT_MS = 1_000;
const LOGGER = makeLogger({ level: 'silent' });

type KeptRecord = IdempotencyRecord & Pick<Intent, 'callNumber'>;

/** A statement on its way to the database, or a request on its way to the upstream. */
interface UnderWay {
  readonly process: Process;
  /** What becomes of it; the choice is the world's. */
  readonly end: (choice: number) => void;
  /** Nobody waits for it any more: its process was killed. */
  readonly abandon: (choice: number) => void;
}

interface Process {
  readonly instanceId: string;
  readonly once: OncePerKey<Executed>;
  /** What others see of it, which may be wrong. */
  looksAlive: boolean;
}

/**
 * Processes, one database and one upstream, between which anything may be late or lost: a list of numbers decides
 * what happens next.
 */
class World {
  /** Writes that the upstream did. */
  happened = 0;
  /** Writes that it may still do. */
  sending = 0;
  isDoubled = false;
  /** An intent that comes after its process has taken it back: to others it is in progress until that process is asked. */
  hasLateIntent = false;
  readonly processes: Process[] = [];
  #started = 0;
  #record: KeptRecord | undefined;
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  #underWay: UnderWay[] = [];
  #late: (() => void)[] = [];
  #isHealed = false;
  readonly #clock: Clock = {
    now: () => this.#nowMs,
    monotonic: () => this.#nowMs,
    after: (ms, callback) => {
      const timer = { atMs: this.#nowMs + ms, callback };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      };
    },
  };

  async step(choice: number): Promise<void> {
    const rest = Math.floor(choice / 16);
    const [process] = this.processes.slice(rest % 2);
    switch (choice % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
        if (process === undefined) this.#start();
        // What comes of it is judged by what the upstream did.
        else void this.call(process).catch(() => undefined);
        break;
      case 4:
        this.#start();
        break;
      case 5:
        if (process !== undefined) this.#kill(process, rest);
        break;
      case 6:
        if (process !== undefined) process.looksAlive = !process.looksAlive;
        break;
      case 7:
        this.#late.splice(rest % Math.max(1, this.#late.length), 1)[0]?.();
        break;
      case 8:
        this.#advance(TIMEOUT_MS / 2);
        break;
      case 9:
        void process?.once.tellAll();
        break;
      default: {
        const [next] = this.#underWay.splice(rest % Math.max(1, this.#underWay.length), 1);
        next?.end(Math.floor(rest / 8));
      }
    }
    await setImmediate();
  }

  /** From now on everything works, and at once. What is under way ends. */
  async heal(): Promise<Process> {
    this.#isHealed = true;
    for (const late of this.#late.splice(0)) late();
    await this.settle();
    for (const { once } of this.processes) void once.tellAll();
    await this.settle();
    return this.processes[0] ?? this.#start();
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 10; round++) {
      for (const { end } of this.#underWay.splice(0)) end(0);
      await setImmediate();
    }
  }

  call({ once }: Process): Promise<Executed | Kept> {
    return once.run({
      ...REQUEST,
      deadline: new CallDeadline(this.#clock, TIMEOUT_MS),
      keeper: { outcome: () => DONE, error: () => FAILED },
      write: () => this.#send(once),
      lost: unknown,
    });
  }

  #start(): Process {
    const instanceId = `process ${++this.#started}`;
    const intents: Intents = {
      begin: (intent) => {
        const whenLate = () => {
          this.hasLateIntent = true;
        };
        return this.#query(instanceId, () => this.#begin(intent), whenLate);
      },
      finish: (intent, answer) =>
        this.#query(instanceId, () => {
          const unanswered = this.#unanswered(intent);
          if (unanswered !== undefined) this.#record = { ...unanswered, answer };
        }),
      release: (intent) =>
        this.#query(instanceId, () => {
          if (this.#unanswered(intent) !== undefined) this.#record = undefined;
        }),
    };
    const once = new OncePerKey<Executed>({ intents, instanceId, logger: LOGGER });
    const process = { instanceId, once, looksAlive: true };
    this.processes.push(process);
    return process;
  }

  #kill(process: Process, choice: number): void {
    process.looksAlive = false;
    this.processes.splice(this.processes.indexOf(process), 1);
    const left = this.#underWay.filter((each) => each.process === process);
    this.#underWay = this.#underWay.filter((each) => each.process !== process);
    left.forEach(({ abandon }, index) => abandon(choice >> index));
  }

  #begin({
    fingerprint,
    instanceId,
    callNumber,
    replacesOwn,
  }: Intent): IdempotencyRecord | undefined {
    const present = this.#record;
    if (present !== undefined) {
      const isOwn = present.instanceId === instanceId && present.callNumber < callNumber;
      if (!replacesOwn || !isOwn || present.answer !== null)
        return { ...present, isOwnerAlive: this.#find(present.instanceId)?.looksAlive ?? false };
    }
    this.#record = { fingerprint, instanceId, callNumber, answer: null, isOwnerAlive: true };
    return undefined;
  }

  #unanswered({ instanceId, callNumber }: IntentOfCall): KeptRecord | undefined {
    const present = this.#record;
    const isIts = present?.instanceId === instanceId && present.callNumber === callNumber;
    return isIts && present.answer === null ? present : undefined;
  }

  /** A statement is done, refused or neither, and its answer comes, then or later, or not; also done late, when nobody waits for it. */
  #query<T>(instanceId: string, apply: () => T, whenLate?: () => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const process = this.#find(instanceId);
    if (process === undefined) return promise;
    const fail = () => reject(new StoreError('database_silent', 'It did not answer.'));
    this.#underWay.push({
      process,
      end: (choice) => {
        const fate = this.#isHealed ? 0 : choice % 8;
        if (fate <= 2) resolve(apply());
        if (fate === 3) {
          const done = apply();
          this.#underWay.push({ process, end: () => resolve(done), abandon: () => undefined });
        }
        if (fate === 4) apply();
        if (fate === 5) {
          this.#late.push(apply);
          whenLate?.();
        }
        if (fate >= 4 && fate <= 6) fail();
        if (fate === 7) reject(new StoreError('database_unreachable', '', { didNothing: true }));
      },
      abandon: (choice) => {
        if (choice % 2 === 1) this.#late.push(apply);
      },
    });
    return promise;
  }

  /** The upstream does it or not, and says so or not. */
  #send(once: OncePerKey<Executed>): Promise<Executed> {
    const process = this.processes.find((each) => each.once === once);
    assert.ok(process, 'a killed process sends nothing');
    this.sending++;
    this.#judge();
    const { promise, resolve, reject } = Promise.withResolvers<Executed>();
    const settle = (hasHappened: boolean) => {
      this.sending--;
      if (hasHappened) this.happened++;
      this.#judge();
    };
    this.#underWay.push({
      process,
      end: (choice) => {
        const fate = choice % 4;
        settle(fate <= 1);
        if (fate === 0) resolve(EXECUTED);
        else reject(fate === 3 ? refused() : unknown());
      },
      abandon: (choice) => settle(choice % 2 === 1),
    });
    return promise;
  }

  #judge(): void {
    if (this.happened + this.sending > 1) this.isDoubled = true;
  }

  #find(instanceId: string): Process | undefined {
    return this.processes.find((each) => each.instanceId === instanceId);
  }

  #advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { callback } of due) callback();
  }
}

test('a write with a key is never sent twice, whatever is late, lost, mute or killed', async () => {
  await check(
    asyncProperty(array(nat(), { minLength: 10, maxLength: 80 }), async (choices) => {
      const world = new World();
      for (const choice of choices) {
        await world.step(choice);
        assert.equal(world.isDoubled, false);
      }
      await asksAgain(world);
    }),
    { numRuns: sizeOf('writes under one key') },
  );
});

/** Whoever asks again, once everything works, is told what became of it. */
async function asksAgain(world: World): Promise<void> {
  const process = await world.heal();
  const calling = world.call(process).then(
    (outcome) => ('kept' in outcome ? outcome.kept : DONE),
    (error: unknown) => (isConnectorError(error) ? error.code : String(error)),
  );
  await world.settle();
  const told = await calling;
  assert.equal(world.isDoubled, false);
  if (told === DONE || (typeof told === 'object' && told.status === DONE.status))
    assert.equal(world.happened, 1);
  else if (typeof told !== 'object')
    assert.ok(told === 'idempotency_in_progress' && world.hasLateIntent, told);
}

function refused(): ConnectorError {
  return new ConnectorError('invalid_params', { faults: [] });
}

function unknown(): ConnectorError {
  return new ConnectorError('write_outcome_unknown', {
    entity: 'messages',
    action: 'create',
    howToFindOut: '',
  });
}
