import { ByteCache } from '../byte-cache.ts';
import { Conversation } from './conversation.ts';
import type { SlackChannel, SlackIm, SlackMessage, SlackUser } from './records.ts';
import {
  positionOfSeededName,
  seededConversation,
  seededImPosition,
} from './seeded-conversations.ts';
import { isBot, seededUser } from './seeded-users.ts';
import { formatTimestamp, toSeconds } from './timestamps.ts';
import type { Micros } from './timestamps.ts';
import { APP_BOT_POSITION } from './world.ts';
import type { ConversationKind, World } from './world.ts';

const USER_CACHE_BYTES = 32_000_000;
const USER_PAGE_CACHE_BYTES = 64_000_000;

/** A page of positions. */
export interface PositionPage {
  readonly positions: readonly number[];
  /** Where the next page begins; undefined at the end. */
  readonly next: number | undefined;
}

/** What a new channel is called and whether it is private. */
export interface ChannelRequest {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** How a message is posted: its content, and where it belongs. */
export interface PostRequest {
  /** Content without `type` and `ts`. */
  readonly message: Omit<SlackMessage, 'type' | 'ts'>;
  /** The message it replies to. */
  readonly replyTo?: { readonly rootAt: Micros; readonly isBroadcast: boolean };
}

/** The current state of the workspace: the seeded records, overlaid with what was written since. */
export class Workspace {
  readonly world: World;
  readonly #clock: () => number;
  readonly #changedUsers = new Map<number, SlackUser>();
  readonly #userJson = new ByteCache(USER_CACHE_BYTES);
  readonly #userPages = new ByteCache(USER_PAGE_CACHE_BYTES);
  readonly #conversations = new Map<number, Conversation>();
  readonly #removedConversations = new Set<number>();
  readonly #positionsByWrittenName = new Map<string, number>();
  readonly #openedIms = new Map<number, number>();
  #userCount: number;
  #conversationCount: number;

  constructor(world: World, clock: () => number) {
    this.world = world;
    this.#clock = clock;
    this.#userCount = world.userCount;
    this.#conversationCount = world.conversationCount;
  }

  /** The app's own user, which writes everything that is posted. */
  get appUserId(): string {
    return this.world.userId(APP_BOT_POSITION);
  }

  get userCount(): number {
    return this.#userCount;
  }

  get conversationCount(): number {
    return this.#conversationCount;
  }

  /** The clock's time in whole microseconds. */
  nowAt(): Micros {
    return Math.floor(this.#clock() * 1_000);
  }

  nowSeconds(): number {
    return toSeconds(this.nowAt());
  }

  /** The position of an existing user; undefined for an unknown id. */
  userPosition(id: string): number | undefined {
    const position = this.world.userPosition(id);
    return position !== undefined && position < this.#userCount ? position : undefined;
  }

  userAt(position: number): SlackUser {
    return this.#changedUsers.get(position) ?? seededUser(this.world, position);
  }

  isBotAt(position: number): boolean {
    return isBot(this.world, position);
  }

  /** Bytes made from one user, built once and kept until a user changes. */
  cachedUser(key: string, build: () => Buffer): Buffer {
    return this.#userJson.getOrBuild(key, build);
  }

  /** Bytes made from a page of users, built once and kept until a user changes. */
  cachedUserPage(key: string, build: () => Buffer): Buffer {
    return this.#userPages.getOrBuild(key, build);
  }

  /** Adds a user at the end of the list. */
  addUser(): SlackUser {
    const position = this.#userCount;
    this.#userCount += 1;
    this.changeUser(position, { updated: this.nowSeconds() });
    return this.userAt(position);
  }

  changeUser(position: number, fields: Partial<SlackUser>): void {
    this.#changedUsers.set(position, { ...this.userAt(position), ...fields });
    this.#userJson.clear();
    this.#userPages.clear();
  }

  /** The conversation with this id, if it exists. */
  conversation(id: string): Conversation | undefined {
    const position = this.world.conversationPosition(id);
    if (position === undefined) return undefined;
    const found = this.conversationAt(position);
    // An id begins with the letter of its kind: a channel's id with a D in front names nothing.
    return found !== undefined && found.record.id === id ? found : undefined;
  }

  conversationAt(position: number): Conversation | undefined {
    if (position >= this.#conversationCount) return undefined;
    if (this.#removedConversations.has(position)) return undefined;
    const kept = this.#conversations.get(position);
    if (kept !== undefined) return kept;
    return Conversation.seeded(
      this.world,
      seededConversation(this.world, position),
      (conversation) => this.#conversations.set(position, conversation),
    );
  }

  /** Up to `limit` positions of the given kinds, from `start` on, in list order. */
  conversationPage(
    kinds: ReadonlySet<ConversationKind>,
    start: number,
    limit: number,
  ): PositionPage {
    const positions: number[] = [];
    for (const position of this.#positionsOf(kinds, start)) {
      if (positions.length === limit) return { positions, next: position };
      positions.push(position);
    }
    return { positions, next: undefined };
  }

  /** The position of the channel that has this name now, if there is one. */
  positionOfName(name: string): number | undefined {
    const written = this.#positionsByWrittenName.get(name);
    if (written !== undefined) return written;
    const seeded = positionOfSeededName(this.world, name);
    const record = seeded === undefined ? undefined : this.conversationAt(seeded)?.record;
    return record !== undefined && !record.is_im && record.name === name ? seeded : undefined;
  }

  createChannel({ name, isPrivate }: ChannelRequest): Conversation {
    const kind = isPrivate ? 'private_channel' : 'public_channel';
    const position = this.#newPosition();
    const id = this.world.conversationId(position, kind);
    const record = this.#newChannelRecord(id, { name, isPrivate });
    this.#positionsByWrittenName.set(name, position);
    return this.#keepNew({ position, kind, record, members: [] });
  }

  renameChannel(conversation: Conversation, name: string): void {
    const { name: oldName, previous_names: previous } = conversation.channel;
    this.#positionsByWrittenName.delete(oldName);
    this.#positionsByWrittenName.set(name, conversation.position);
    conversation.change({
      name,
      name_normalized: name.normalize('NFKC'),
      previous_names: [oldName, ...previous.filter((earlier) => earlier !== oldName)],
      updated: Math.floor(this.#clock()),
    });
  }

  removeConversation(conversation: Conversation): void {
    const { record } = conversation;
    if (!record.is_im) this.#positionsByWrittenName.delete(record.name);
    this.#removedConversations.add(conversation.position);
    this.#conversations.delete(conversation.position);
  }

  /** The app's direct message with a user; opens one if there is none. */
  directMessage(userPosition: number): Conversation {
    const known = seededImPosition(this.world, userPosition) ?? this.#openedIms.get(userPosition);
    const existing = known === undefined ? undefined : this.conversationAt(known);
    if (existing !== undefined) return existing;
    const position = this.#newPosition();
    const user = this.userAt(userPosition);
    const record: SlackIm = {
      id: this.world.conversationId(position, 'im'),
      created: this.nowSeconds(),
      is_archived: false,
      is_im: true,
      is_org_shared: false,
      context_team_id: this.world.teamId,
      updated: Math.floor(this.#clock()),
      user: user.id,
      is_user_deleted: user.deleted,
      priority: 0,
    };
    this.#openedIms.set(userPosition, position);
    return this.#keepNew({ position, kind: 'im', record, members: [user.id] });
  }

  /** Posts a message, updates the thread that it replies to, and returns the message as stored. */
  post(conversation: Conversation, { message, replyTo }: PostRequest): SlackMessage {
    const { timeline } = conversation;
    const at = timeline.nextTime(this.nowAt());
    const posted: SlackMessage = { ...message, type: 'message', ts: formatTimestamp(at) };
    const isInChannel = replyTo === undefined || replyTo.isBroadcast;
    timeline.post(at, posted, { rootAt: replyTo?.rootAt ?? at, isInChannel });
    if (replyTo !== undefined) this.#countReply(conversation, replyTo.rootAt, posted.ts);
    conversation.markWritten();
    return posted;
  }

  #countReply(conversation: Conversation, rootAt: Micros, latestReply: string): void {
    const { timeline } = conversation;
    const root = timeline.find(rootAt);
    if (root === undefined) return;
    const users = timeline.replyUsers(rootAt);
    timeline.replace(rootAt, {
      ...root.message,
      thread_ts: root.message.ts,
      reply_count: (root.message.reply_count ?? 0) + 1,
      reply_users_count: users.length,
      latest_reply: latestReply,
      reply_users: users.slice(0, 5),
      is_locked: false,
      subscribed: true,
    });
  }

  *#positionsOf(kinds: ReadonlySet<ConversationKind>, start: number): Generator<number> {
    for (const range of this.world.ranges) {
      if (!kinds.has(range.kind)) continue;
      for (let position = Math.max(start, range.start); position < range.end; position += 1) {
        if (!this.#removedConversations.has(position)) yield position;
      }
    }
    const firstNew = Math.max(start, this.world.conversationCount);
    for (let position = firstNew; position < this.#conversationCount; position += 1) {
      const kind = this.conversationAt(position)?.kind;
      if (kind !== undefined && kinds.has(kind)) yield position;
    }
  }

  #newPosition(): number {
    const position = this.#conversationCount;
    this.#conversationCount += 1;
    return position;
  }

  #keepNew(parts: Parameters<typeof Conversation.created>[1]): Conversation {
    const conversation = Conversation.created(this.world, parts);
    this.#conversations.set(parts.position, conversation);
    return conversation;
  }

  #newChannelRecord(id: string, { name, isPrivate }: ChannelRequest): SlackChannel {
    const noHeadline = { value: '', creator: '', last_set: 0 };
    return {
      id,
      name,
      is_channel: !id.startsWith('G'),
      is_group: id.startsWith('G'),
      is_im: false,
      is_mpim: false,
      is_private: isPrivate,
      created: this.nowSeconds(),
      is_archived: false,
      is_general: false,
      unlinked: 0,
      name_normalized: name.normalize('NFKC'),
      is_shared: false,
      is_frozen: false,
      is_org_shared: false,
      is_pending_ext_shared: false,
      pending_shared: [],
      context_team_id: this.world.teamId,
      updated: Math.floor(this.#clock()),
      parent_conversation: null,
      creator: this.appUserId,
      is_ext_shared: false,
      shared_team_ids: [this.world.teamId],
      pending_connected_team_ids: [],
      is_member: true,
      topic: noHeadline,
      purpose: noHeadline,
      previous_names: [],
    };
  }
}
