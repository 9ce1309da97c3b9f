import type { SlackMessage } from './records.ts';
import type { SeededMessages, SeededPlace } from './seeded-messages.ts';
import type { Micros } from './timestamps.ts';

/** A message with its time and the thread it belongs to. */
export interface PlacedMessage {
  readonly message: SlackMessage;
  readonly at: Micros;
  /** The time of the message that it replies to; its own when it is no reply. */
  readonly rootAt: Micros;
}

/** Which messages of a timeline to read; both ends are included. */
export interface TimeWindow {
  readonly from: Micros;
  readonly to: Micros;
}

/** How a written message belongs to its conversation. */
export interface Posting {
  readonly rootAt: Micros;
  /** It shows in the channel itself: no reply, or one that was also sent to the channel. */
  readonly isInChannel: boolean;
}

/**
 * The messages of one conversation: the seeded ones, overlaid with what was written since. Posted
 * messages always come after the seeded ones.
 */
export class Timeline {
  readonly #seeded: SeededMessages | undefined;
  /** Messages that differ from the seeded ones, or are not among them. */
  readonly #written = new Map<Micros, SlackMessage>();
  /** The root of every posted message. */
  readonly #rootOfPosted = new Map<Micros, Micros>();
  readonly #postedInChannel: Micros[] = [];
  readonly #postedReplies = new Map<Micros, Micros[]>();
  readonly #removed = new Set<Micros>();
  #lastPostedAt: Micros = 0;

  constructor(seeded: SeededMessages | undefined) {
    this.#seeded = seeded;
  }

  /** The message with exactly this time, if there is one. */
  find(at: Micros): PlacedMessage | undefined {
    if (this.#removed.has(at)) return undefined;
    const postedRootAt = this.#rootOfPosted.get(at);
    if (postedRootAt !== undefined) {
      const message = this.#written.get(at);
      return message === undefined ? undefined : { message, at, rootAt: postedRootAt };
    }
    const place = this.#seeded?.placeOf(at);
    if (this.#seeded === undefined || place === undefined) return undefined;
    const rootAt = this.#seeded.timeOf({ slot: place.slot, reply: undefined });
    return { message: this.#seededMessage(this.#seeded, place, at), at, rootAt };
  }

  /** The messages of the channel itself inside a window, newest first, at most `max`. */
  newestFirst(window: TimeWindow, max: number): readonly PlacedMessage[] {
    const found: PlacedMessage[] = [];
    for (const at of this.#channelTimes(window)) {
      if (found.length >= max) break;
      const placed = this.find(at);
      if (placed !== undefined) found.push(placed);
    }
    return found;
  }

  /** The replies to a message inside a window, oldest first, at most `max`. */
  repliesOldestFirst(rootAt: Micros, window: TimeWindow, max: number): readonly PlacedMessage[] {
    const found: PlacedMessage[] = [];
    for (const at of this.#replyTimes(rootAt)) {
      if (found.length >= max || at > window.to) break;
      const placed = at < window.from ? undefined : this.find(at);
      if (placed !== undefined) found.push(placed);
    }
    return found;
  }

  /** The ids of everyone who replied to a message, each once, in the order of their first reply. */
  replyUsers(rootAt: Micros): readonly string[] {
    const users = new Set<string>();
    for (const at of this.#replyTimes(rootAt)) {
      const user = this.find(at)?.message.user;
      if (user !== undefined) users.add(user);
    }
    return [...users];
  }

  /** The time for a new message: at or after `nowAt`, and later than every other message. */
  nextTime(nowAt: Micros): Micros {
    const lastSeededAt = this.#lastSeededAt();
    return Math.max(nowAt, lastSeededAt + 1, this.#lastPostedAt + 1);
  }

  /** Adds a message at a time that {@link nextTime} gave. */
  post(at: Micros, message: SlackMessage, { rootAt, isInChannel }: Posting): void {
    this.#written.set(at, message);
    this.#rootOfPosted.set(at, rootAt);
    this.#lastPostedAt = at;
    if (isInChannel) this.#postedInChannel.push(at);
    if (at === rootAt) return;
    const replies = this.#postedReplies.get(rootAt);
    if (replies === undefined) this.#postedReplies.set(rootAt, [at]);
    else replies.push(at);
  }

  /** Replaces a message that is there. */
  replace(at: Micros, message: SlackMessage): void {
    this.#written.set(at, message);
  }

  /** Removes a message: no list and no look-up will show it again. */
  remove(at: Micros): void {
    this.#removed.add(at);
    this.#written.delete(at);
  }

  *#channelTimes({ from, to }: TimeWindow): Generator<Micros> {
    for (let index = this.#postedInChannel.length - 1; index >= 0; index -= 1) {
      const at = this.#postedInChannel[index] ?? 0;
      if (at < from) return;
      if (at <= to) yield at;
    }
    const seeded = this.#seeded;
    if (seeded === undefined) return;
    for (let slot = seeded.slotAt(to); slot >= 0; slot -= 1) {
      const broadcast = seeded.broadcastReply(slot);
      const times = [
        ...(broadcast === undefined ? [] : [seeded.timeOf({ slot, reply: broadcast })]),
        seeded.timeOf({ slot, reply: undefined }),
      ];
      for (const at of times) {
        if (at < from) return;
        if (at <= to) yield at;
      }
    }
  }

  *#replyTimes(rootAt: Micros): Generator<Micros> {
    const seeded = this.#seeded;
    const place = seeded?.placeOf(rootAt);
    if (seeded !== undefined && place !== undefined && place.reply === undefined) {
      for (let reply = 0; reply < seeded.replyCount(place.slot); reply += 1) {
        yield seeded.timeOf({ slot: place.slot, reply });
      }
    }
    yield* this.#postedReplies.get(rootAt) ?? [];
  }

  #seededMessage(seeded: SeededMessages, place: SeededPlace, at: Micros): SlackMessage {
    return this.#written.get(at) ?? seeded.messageAt(place);
  }

  #lastSeededAt(): Micros {
    const seeded = this.#seeded;
    if (seeded === undefined || seeded.slotCount === 0) return 0;
    const slot = seeded.slotCount - 1;
    const replies = seeded.replyCount(slot);
    return seeded.timeOf({ slot, reply: replies === 0 ? undefined : replies - 1 });
  }
}
