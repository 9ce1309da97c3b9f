import type { Findings } from '../findings.ts';
import { at, textAt } from '../json.ts';
import { pause } from '../pause.ts';
import type { Random } from '../random.ts';
import type { Caller, Call, Reply } from './caller.ts';
import { executeCall } from './tenant.ts';

/** A message that was to be posted once. */
export interface Write {
  /** Nobody else's, and its idempotency key as well. */
  readonly text: string;
  readonly channel: string;
  state: 'open' | 'acknowledged' | 'unknown';
  /** When it was acknowledged, in milliseconds since 1970; `Infinity` before. */
  acknowledgedAt: number;
  /** The timestamp that identifies it, once it is known. */
  ts: string | undefined;
  /** It is to be found in the copy before the next sync. */
  isCopied: boolean;
}

export interface WritesOptions {
  readonly caller: Caller;
  readonly findings: Findings;
  readonly random: Random;
  readonly connector: string;
}

const PAUSE_MS = 60;
const REPEATED_AFTER_MS = 200;
/** How many of the acknowledged ones are asked for once more. */
const REPEATED_SHARE = 0.1;

/** Posts messages, each with a key, and repeats what was not answered with that key. */
export class Writes {
  readonly all: Write[] = [];
  readonly #options: WritesOptions;

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  /** Posts one after the other until it is over; `mayGoOn` also ends the repetitions of the last. */
  async writeTo(
    channel: string,
    { isOver, mayGoOn }: { readonly isOver: () => boolean; readonly mayGoOn: () => boolean },
  ): Promise<void> {
    while (!isOver()) {
      const write = this.#begin(channel);
      while (write.state === 'open' && mayGoOn()) await this.#try(write);
      if (write.ts !== undefined && this.#options.random() < REPEATED_SHARE)
        await this.#repeat(write);
      await pause(PAUSE_MS);
    }
  }

  #begin(channel: string): Write {
    const text = `message-${this.all.length}-${Math.floor(this.#options.random() * 1e9)}`;
    const write: Write = {
      text,
      channel,
      state: 'open',
      acknowledgedAt: Infinity,
      ts: undefined,
      isCopied: false,
    };
    this.all.push(write);
    return write;
  }

  async #try(write: Write): Promise<void> {
    const reply = await this.#options.caller.call(this.#callOf(write));
    if (reply !== undefined) this.#settle(write, reply);
    if (write.state === 'open') await pause(REPEATED_AFTER_MS);
  }

  #settle(write: Write, { status, body }: Reply): void {
    if (status < 300) {
      this.#acknowledge(write, textAt(body, 'result.ts'));
      write.isCopied = at(body, 'warnings') === undefined;
      if (at(body, 'result.text') !== write.text)
        this.#options.findings.add('wrong', 'create messages: 200 with another text');
    } else if (at(body, 'details.applied') === true) this.#acknowledge(write, undefined);
    else if (at(body, 'code') === 'write_outcome_unknown') write.state = 'unknown';
  }

  #acknowledge(write: Write, ts: string | undefined): void {
    write.state = 'acknowledged';
    write.acknowledgedAt = Date.now();
    write.ts = ts;
  }

  async #repeat(write: Write): Promise<void> {
    const reply = await this.#options.caller.call(this.#callOf(write));
    if (reply?.status === 200 && at(reply.body, 'result.ts') !== write.ts)
      this.#options.findings.add('wrong', 'create messages: a repetition gave another message');
  }

  #callOf({ text, channel }: Write): Call {
    const call = { entity: 'messages', action: 'create', params: { channel, text } };
    return executeCall(this.#options.connector, call, { idempotencyKey: text });
  }
}
