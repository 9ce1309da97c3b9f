import type { SlackChannel, SlackConversation } from './records.ts';
import { memberIndex, memberPosition, seededRecord } from './seeded-conversations.ts';
import type { SeededConversation } from './seeded-conversations.ts';
import { SeededMessages } from './seeded-messages.ts';
import { SlackError } from './slack-error.ts';
import { Timeline } from './timeline.ts';
import { APP_BOT_POSITION } from './world.ts';
import type { ConversationKind, World } from './world.ts';

/** The initial state of a conversation that is not a seeded one but was created later. */
export interface NewConversation {
  readonly position: number;
  readonly kind: ConversationKind;
  readonly record: SlackConversation;
  /** Member ids without the app's bot. */
  readonly members: readonly string[];
}

/**
 * The current state of one conversation. It holds only what was written; the seeded rest is made
 * anew on every read, so a conversation that nobody wrote to needs no memory.
 */
export class Conversation {
  readonly position: number;
  readonly kind: ConversationKind;
  readonly timeline: Timeline;
  readonly #world: World;
  readonly #seeded: SeededConversation | undefined;
  readonly #ownMembers: readonly string[];
  readonly #keep: (conversation: Conversation) => void;
  #record: SlackConversation | undefined;

  private constructor(
    world: World,
    origin: SeededConversation | NewConversation,
    keep: (conversation: Conversation) => void,
  ) {
    const isNew = 'record' in origin;
    this.position = origin.position;
    this.kind = origin.kind;
    this.#world = world;
    this.#seeded = isNew ? undefined : origin;
    this.#record = isNew ? origin.record : undefined;
    this.#ownMembers = isNew ? origin.members : [];
    this.timeline = new Timeline(isNew ? undefined : new SeededMessages(world, origin));
    this.#keep = keep;
  }

  /** A seeded conversation; `keep` is called whenever it is written to. */
  static seeded(
    world: World,
    seeded: SeededConversation,
    keep: (conversation: Conversation) => void,
  ): Conversation {
    return new Conversation(world, seeded, keep);
  }

  /** A conversation that was created later; it holds all of its own data. */
  static created(world: World, created: NewConversation): Conversation {
    return new Conversation(world, created, () => undefined);
  }

  /** The record as it stands now. */
  get record(): SlackConversation {
    if (this.#record !== undefined) return this.#record;
    if (this.#seeded === undefined) throw new Error('a created conversation has its record');
    return seededRecord(this.#world, this.#seeded);
  }

  /** The record of a channel or group; a direct message has no name, topic or members to change. */
  get channel(): SlackChannel {
    const { record } = this;
    if (record.is_im) throw new SlackError('method_not_supported_for_channel_type');
    return record;
  }

  get isAppMember(): boolean {
    const { record } = this;
    return record.is_im || record.is_mpim || record.is_member === true;
  }

  get memberCount(): number {
    const seededCount = this.#seeded?.memberCount ?? 0;
    return seededCount + this.#ownMembers.length + (this.isAppMember ? 1 : 0);
  }

  /** The id of the nth member, counted from 0; the app's bot comes last. */
  memberId(nth: number): string | undefined {
    if (nth < 0 || nth >= this.memberCount) return undefined;
    if (this.#seeded !== undefined && nth < this.#seeded.memberCount) {
      return this.#world.userId(memberPosition(this.#world, this.#seeded, nth));
    }
    const own = this.#ownMembers[nth - (this.#seeded?.memberCount ?? 0)];
    return own ?? this.#world.userId(APP_BOT_POSITION);
  }

  /** The index at which {@link memberId} gives a user id; undefined for a user who is no member. */
  memberIndexOf(id: string): number | undefined {
    const position = this.#world.userPosition(id);
    if (position === undefined) return undefined;
    if (position === APP_BOT_POSITION && this.isAppMember) return this.memberCount - 1;
    if (this.#seeded !== undefined) return memberIndex(this.#world, this.#seeded, position);
    const own = this.#ownMembers.indexOf(id);
    return own === -1 ? undefined : own;
  }

  /** Replaces fields of a channel's record. */
  change(fields: Partial<SlackChannel>): void {
    this.#record = { ...this.channel, ...fields };
    this.markWritten();
  }

  /** Has the workspace keep the conversation: it or its messages were written to. */
  markWritten(): void {
    this.#keep(this);
  }
}
