import type { Findings } from '../findings.ts';
import { at, textAt } from '../json.ts';
import { pause } from '../pause.ts';
import { pick, type Random } from '../random.ts';
import type { World } from '../world/world.ts';

export interface Call {
  /** What findings call it. */
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Sent as the deadline of the call; without it, the call is one that takes none. */
  readonly timeoutMs?: number;
  /** Codes whose `retry` is `never` that are right here. */
  readonly expects?: readonly string[];
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** The instants of the last success and of the longest waits, by the name of the call. */
export interface CallFacts {
  readonly calls: number;
  readonly longestStallMs: number;
  readonly longestHealthMs: number;
}

export interface CallerOptions {
  readonly world: World;
  readonly findings: Findings;
  readonly random: Random;
  /** The clock of the service is set, so that tokens may expire. */
  readonly isClockSet: boolean;
}

/** How long a call may take that sends no deadline. */
const CONTROL_TIMEOUT_MS = 10_000;
/** A call without an answer so long after its deadline has none. */
const PATIENCE_MS = 20_000;
const LOGIN = '/api/v1/account/applications/token';
/** `write_outcome_unknown` is about what nobody can know; all else must not end for good. */
const FINAL = new Set(['write_outcome_unknown']);

/** Calls the service as its clients do, and holds every answer to the contract. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #successes = new Map<string, number>();
  #token = '';
  #calls = 0;
  #longestStallMs = 0;
  #longestHealthMs = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  get facts(): CallFacts {
    return {
      calls: this.#calls,
      longestStallMs: this.#longestStallMs,
      longestHealthMs: this.#longestHealthMs,
    };
  }

  /** Whether every call of these names has worked since that instant of `performance`. */
  hasWorkedSince(names: readonly string[], instant: number): readonly string[] {
    return names.filter((name) => (this.#successes.get(name) ?? -1) < instant);
  }

  async logIn(): Promise<void> {
    const reply = await this.#send({
      name: 'log in',
      method: 'POST',
      path: LOGIN,
      body: this.#options.world.credentials,
    });
    if (reply?.status === 200) this.#token = textAt(reply.body, 'access_token');
  }

  /** `undefined` where there was no answer: the process was gone, or its connection. */
  async call(call: Call): Promise<Reply | undefined> {
    const reply = await this.#send(call);
    if (reply?.status === 401) await this.#renew(call, reply);
    return reply;
  }

  /** Asks whether the process lives. */
  async checkHealth(): Promise<void> {
    for (const { url } of this.#options.world.services) {
      if (url === undefined) continue;
      const startedAt = performance.now();
      try {
        await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      } catch {
        // It has ended, or hangs: then the time tells.
      }
      const tookMs = performance.now() - startedAt;
      this.#longestHealthMs = Math.max(this.#longestHealthMs, tookMs);
    }
  }

  async #renew(call: Call, reply: Reply): Promise<void> {
    if (!this.#options.isClockSet)
      this.#options.findings.add('wrong', `${call.name}: 401 ${textAt(reply.body, 'code')}`);
    await this.logIn();
  }

  async #send(call: Call): Promise<Reply | undefined> {
    const { world, random } = this.#options;
    const up = world.services.filter(({ url }) => url !== undefined);
    if (up.length === 0) {
      await pause(100);
      return undefined;
    }
    const service = pick(up, random);
    const { url } = service;
    this.#calls += 1;
    const startedAt = performance.now();
    const timeoutMs = call.timeoutMs ?? CONTROL_TIMEOUT_MS;
    const signal = AbortSignal.timeout(timeoutMs + PATIENCE_MS);
    try {
      const answer = await fetch(`${url}${call.path}`, { ...this.#requestOf(call), signal });
      const body: unknown = parse(await answer.text());
      const reply = { status: answer.status, body };
      this.#judge(call, reply);
      return reply;
    } catch {
      if (signal.aborted && service.url === url)
        this.#options.findings.add('wrong', `${call.name}: no answer long after its deadline`);
      return undefined;
    } finally {
      const beyondMs = performance.now() - startedAt - timeoutMs;
      this.#longestStallMs = Math.max(this.#longestStallMs, beyondMs);
    }
  }

  #requestOf({ method = 'GET', body, idempotencyKey, timeoutMs }: Call): RequestInit {
    return {
      method,
      headers: {
        ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(timeoutMs === undefined ? {} : { 'patchbay-timeout-ms': String(timeoutMs) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
  }

  /** @see docs/errors.md */
  #judge(call: Call, { status, body }: Reply): void {
    if (status < 300) {
      this.#successes.set(call.name, performance.now());
      return;
    }
    const { findings } = this.#options;
    const code = textAt(body, 'code');
    if (code === '') findings.add('wrong', `${call.name}: ${status} without a code`);
    else if (code === 'internal') findings.add('wrong', `${call.name}: internal`);
    else if (this.#isFinal(call, body, code))
      findings.add('wrong', `${call.name}: ${code}, retry never, on what passes`);
  }

  #isFinal({ expects = [] }: Call, body: unknown, code: string): boolean {
    if (at(body, 'retry') !== 'never' || at(body, 'details.applied') === true) return false;
    const isKnown = FINAL.has(code) || expects.includes(code);
    return !isKnown && code !== 'unauthenticated';
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
