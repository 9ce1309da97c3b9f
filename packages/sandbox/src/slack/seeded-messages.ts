import { hash32, pick } from '../seeded-random.ts';
import type { SlackBotProfile, SlackMessage, SlackReaction } from './records.ts';
import { GENERAL_POSITION, memberPosition, messagesBeginAt } from './seeded-conversations.ts';
import type { SeededConversation } from './seeded-conversations.ts';
import { formatTimestamp, toSeconds } from './timestamps.ts';
import type { Micros } from './timestamps.ts';
import { EMOJI_NAMES, REPLIES, SENTENCES } from './words.ts';
import { APP_BOT_POSITION } from './world.ts';
import type { World } from './world.ts';

/** Where a seeded message is: the nth message of its conversation, or the nth reply to that. */
export interface SeededPlace {
  readonly slot: number;
  /** Undefined for the message that the slot begins with. */
  readonly reply: number | undefined;
}

/** How many people `reply_users` names at most, as in Slack. */
const MAX_REPLY_USERS = 5;
const LONG_THREAD_REPLIES = 250;

/** What Slack itself posts when something about a channel changes. */
interface Note {
  readonly subtype: string;
  readonly what: string;
}

const JOINED: Note = { subtype: 'channel_join', what: 'has joined the channel' };
const ABOUT_LANTERNS: Note = {
  subtype: 'channel_topic',
  what: 'set the channel topic: Lanterns',
};

/**
 * The seeded messages of one conversation, none of them kept.
 *
 * The time from the conversation's creation to the end of the data is cut into equal slots. Each
 * slot holds one message in its first quarter and the replies to it in the rest, so a timestamp
 * tells where its message is without a search.
 */
export class SeededMessages {
  readonly #world: World;
  readonly #seeded: SeededConversation;
  readonly #beginsAt: Micros;
  readonly #slotMicros: number;

  constructor(world: World, seeded: SeededConversation) {
    this.#world = world;
    this.#seeded = seeded;
    this.#beginsAt = messagesBeginAt(seeded);
    const micros = world.endsAt - this.#beginsAt;
    this.#slotMicros = Math.floor(micros / Math.max(1, seeded.messageCount));
  }

  get slotCount(): number {
    return this.#seeded.messageCount;
  }

  /** The last slot that begins at or before a time; -1 when none does. */
  slotAt(micros: Micros): number {
    const slot = Math.floor((micros - this.#beginsAt) / this.#slotMicros);
    return Math.max(-1, Math.min(slot, this.slotCount - 1));
  }

  /** The time of a seeded message; {@link placeOf} undoes it. */
  timeOf({ slot, reply }: SeededPlace): Micros {
    const start = this.#beginsAt + slot * this.#slotMicros;
    const quarter = Math.floor(this.#slotMicros / 4);
    if (reply === undefined) return start + (this.#hash(slot, 1) % quarter);
    const width = this.#replyMicros(slot);
    return start + quarter + reply * width + (this.#hash(slot, 1_000 + reply) % width);
  }

  /** The place of the seeded message with exactly this time, if there is one. */
  placeOf(micros: Micros): SeededPlace | undefined {
    const slot = this.slotAt(micros);
    if (slot < 0) return undefined;
    const start = this.timeOf({ slot, reply: undefined });
    if (start === micros) return { slot, reply: undefined };
    const replies = this.replyCount(slot);
    if (replies === 0 || micros < start) return undefined;
    const offset = micros - this.#beginsAt - slot * this.#slotMicros;
    const reply = Math.floor((offset - Math.floor(this.#slotMicros / 4)) / this.#replyMicros(slot));
    const isReply = reply >= 0 && reply < replies && this.timeOf({ slot, reply }) === micros;
    return isReply ? { slot, reply } : undefined;
  }

  /** How many seeded replies the message of a slot has. */
  replyCount(slot: number): number {
    const { position } = this.#seeded;
    if (slot === 0) return 0;
    if (position === GENERAL_POSITION && slot === this.slotCount - 5) return LONG_THREAD_REPLIES;
    const hash = this.#hash(slot, 2);
    if (isNote(this.#hash(slot, 3))) return 0;
    if (slot % 50 === 7) return 20 + (hash % 60);
    return hash % 6 === 0 ? 1 + ((hash >>> 8) % 6) : 0;
  }

  /** The number of the reply that was also sent to the channel, if any: always the last one. */
  broadcastReply(slot: number): number | undefined {
    const replies = this.replyCount(slot);
    return replies > 0 && this.#hash(slot, 4) % 8 === 3 ? replies - 1 : undefined;
  }

  /** The ids of the users who wrote the seeded replies to a message, each once, in order. */
  replyUsers(slot: number): readonly string[] {
    const users = new Set<string>();
    for (let reply = 0; reply < this.replyCount(slot); reply += 1) {
      users.add(this.#author(slot, 1_000 + reply));
    }
    return [...users];
  }

  /** The message at a place, as it is before anyone has edited it. */
  messageAt(place: SeededPlace): SlackMessage {
    return place.reply === undefined
      ? this.#firstMessage(place.slot)
      : this.#replyMessage(place.slot, place.reply);
  }

  #firstMessage(slot: number): SlackMessage {
    const ts = formatTimestamp(this.timeOf({ slot, reply: undefined }));
    if (slot === 0) return this.#note(slot, ts, JOINED);
    const kind = this.#hash(slot, 3);
    if (isNote(kind)) {
      return kind % 80 === 0
        ? {
            ...this.#note(slot, ts, ABOUT_LANTERNS),
            topic: 'Lanterns',
          }
        : this.#note(slot, ts, JOINED);
    }
    return { ...this.#body(slot, ts), ...this.#threadSummary(slot, ts) };
  }

  #replyMessage(slot: number, reply: number): SlackMessage {
    const rootTs = formatTimestamp(this.timeOf({ slot, reply: undefined }));
    const ts = formatTimestamp(this.timeOf({ slot, reply }));
    const isBroadcast = this.broadcastReply(slot) === reply;
    const author = this.#author(slot, 1_000 + reply);
    const text = pick(REPLIES, this.#hash(slot, 3_000 + reply));
    const root = this.#body(slot, rootTs);
    return {
      ...(isBroadcast ? { subtype: 'thread_broadcast' } : {}),
      user: author,
      type: 'message',
      ts,
      client_msg_id: this.#clientMessageId(slot, 1_000 + reply),
      text,
      team: this.#world.teamId,
      thread_ts: rootTs,
      ...(root.user === undefined ? {} : { parent_user_id: root.user }),
      ...(isBroadcast ? { root: { ...root, ...this.#threadSummary(slot, rootTs) } } : {}),
      blocks: [richText(this.#hash(slot, 4_000 + reply), text)],
      ...(reply % 7 === 3 ? { reactions: this.#reactions(slot, 1_000 + reply) } : {}),
    };
  }

  #body(slot: number, ts: string): SlackMessage {
    const hash = this.#hash(slot, 5);
    const kind = hash % 24;
    if (kind === 0) return this.#webhookMessage(slot, ts);
    if (kind === 1 && this.#seeded.isAppMember) return this.#appMessage(slot, ts);
    const user = this.#author(slot, 0);
    const text = kind === 2 ? '' : pick(SENTENCES, hash >>> 6);
    const hasFile = kind === 2 || kind === 3;
    return {
      user,
      type: 'message',
      ts,
      client_msg_id: this.#clientMessageId(slot, 0),
      text,
      team: this.#world.teamId,
      ...(hasFile ? { files: [this.#file(slot, user)], upload: false } : {}),
      ...(kind === 4 ? { attachments: [attachment(hash, ts)] } : {}),
      ...(text === '' ? {} : { blocks: [richText(hash, text)] }),
      ...(kind === 5 || kind === 6 ? { edited: { user, ts: editedAt(ts) } } : {}),
      ...(kind > 6 && kind < 11 ? { reactions: this.#reactions(slot, 0) } : {}),
    };
  }

  #webhookMessage(slot: number, ts: string): SlackMessage {
    return {
      subtype: 'bot_message',
      text: `Build ${String(slot)} passed`,
      username: 'Build Lantern',
      icons: { emoji: ':lantern:' },
      attachments: [attachment(this.#hash(slot, 6), ts)],
      type: 'message',
      ts,
      bot_id: 'B0SANDBOXHK',
    };
  }

  #appMessage(slot: number, ts: string): SlackMessage {
    const text = `Daily digest number ${String(slot)} :newspaper:`;
    return {
      user: this.#world.userId(APP_BOT_POSITION),
      type: 'message',
      ts,
      bot_id: this.#world.botId,
      app_id: this.#world.appId,
      text,
      team: this.#world.teamId,
      bot_profile: appBotProfile(this.#world),
      blocks: [richText(this.#hash(slot, 7), text)],
    };
  }

  #note(slot: number, ts: string, { subtype, what }: Note): SlackMessage {
    const user = this.#author(slot, 0);
    return { subtype, user, text: `<@${user}> ${what}`, type: 'message', ts };
  }

  #threadSummary(slot: number, ts: string): Partial<SlackMessage> {
    const replies = this.replyCount(slot);
    if (replies === 0) return {};
    const users = this.replyUsers(slot);
    return {
      thread_ts: ts,
      reply_count: replies,
      reply_users_count: users.length,
      latest_reply: formatTimestamp(this.timeOf({ slot, reply: replies - 1 })),
      reply_users: users.slice(0, MAX_REPLY_USERS),
      is_locked: false,
      subscribed: false,
    };
  }

  #reactions(slot: number, salt: number): readonly SlackReaction[] {
    const hash = this.#hash(slot, 6_000 + salt);
    return Array.from({ length: 1 + (hash % 3) }, (_, nth) => {
      const names = new Set(
        Array.from({ length: 1 + ((hash >>> (4 + nth)) % 3) }, (_unused, reactor) =>
          this.#author(slot, 7_000 + salt + nth * 10 + reactor),
        ),
      );
      return {
        name: EMOJI_NAMES[(hash + nth) % EMOJI_NAMES.length] ?? '+1',
        users: [...names],
        count: names.size,
      };
    });
  }

  #file(slot: number, user: string): Readonly<Record<string, unknown>> {
    const hash = this.#hash(slot, 8);
    const id = `F0${hash.toString(36).toUpperCase().padStart(9, '0')}`;
    const createdSeconds = toSeconds(this.timeOf({ slot, reply: undefined }));
    const base = `https://files.example.com/files-pri/${this.#world.teamId}-${id}`;
    return {
      id,
      created: createdSeconds,
      timestamp: createdSeconds,
      name: 'lantern plan (final) – копия.pdf',
      title: 'lantern plan (final)',
      mimetype: 'application/pdf',
      filetype: 'pdf',
      pretty_type: 'PDF',
      user,
      user_team: this.#world.teamId,
      editable: false,
      size: 1_024 + (hash % 5_000_000),
      mode: 'hosted',
      is_external: false,
      external_type: '',
      is_public: true,
      public_url_shared: false,
      display_as_bot: false,
      username: '',
      url_private: `${base}/plan.pdf`,
      url_private_download: `${base}/download/plan.pdf`,
      permalink: `https://sandbox.example.com/files/${user}/${id}/plan.pdf`,
      permalink_public: `https://files.example.com/${this.#world.teamId}-${id}`,
      has_rich_preview: false,
      file_access: 'visible',
    };
  }

  #author(slot: number, salt: number): string {
    const { memberCount } = this.#seeded;
    const nth = this.#hash(slot, 9_000 + salt) % Math.min(memberCount, 60);
    return this.#world.userId(memberPosition(this.#world, this.#seeded, nth));
  }

  #clientMessageId(slot: number, salt: number): string {
    const hex = (part: number) =>
      this.#hash(slot, 20_000 + salt * 4 + part)
        .toString(16)
        .padStart(8, '0');
    const [first, second, third, fourth] = [hex(0), hex(1), hex(2), hex(3)];
    const middle = `${second.slice(0, 4)}-4${second.slice(5)}-a${third.slice(1, 4)}`;
    return `${first}-${middle}-${third.slice(4)}${fourth}`;
  }

  #replyMicros(slot: number): number {
    return Math.floor((this.#slotMicros * 3) / 4 / Math.max(1, this.replyCount(slot)));
  }

  #hash(slot: number, purpose: number): number {
    return hash32(
      this.#world.seed ^ Math.imul(this.#seeded.position + 1, 0x2545f491),
      slot,
      purpose,
    );
  }
}

/** The bot profile that the app's own messages carry. */
export function appBotProfile(world: World): SlackBotProfile {
  return {
    id: world.botId,
    deleted: false,
    name: 'Sandbox App',
    updated: toSeconds(world.endsAt) - 86_400,
    app_id: world.appId,
    user_id: world.userId(APP_BOT_POSITION),
    icons: { image_36: appIcon(36), image_48: appIcon(48), image_72: appIcon(72) },
    team_id: world.teamId,
  };
}

/** The block that Slack makes of a message sent as plain text. */
export function richText(hash: number, text: string): Readonly<Record<string, unknown>> {
  return {
    type: 'rich_text',
    block_id: hash.toString(36).slice(0, 5).padStart(5, 'a'),
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
  };
}

function appIcon(size: number): string {
  return `https://avatars.example.com/app_${String(size)}.png`;
}

/** Joins and topic changes are notes that nobody replies to. */
function isNote(kind: number): boolean {
  return kind % 20 === 0;
}

function attachment(hash: number, ts: string): Readonly<Record<string, unknown>> {
  const isLink = hash % 2 === 0;
  return {
    id: 1,
    fallback: 'Lantern dashboard',
    color: '36a64f',
    pretext: 'From the dashboard',
    author_name: 'Lantern',
    author_link: 'https://dashboard.example.com',
    title: 'All lanterns are lit',
    title_link: 'https://dashboard.example.com/lanterns',
    text: 'Every lantern reported in the last hour.',
    fields: [{ title: 'Lit', value: '42', short: true }],
    footer: 'Lantern API',
    mrkdwn_in: ['text'],
    // Slack gives `ts` back as the sender wrote it: as a number or as text.
    ts: isLink ? Math.floor(Number(ts)) : ts,
    ...(isLink ? { image_url: 'https://dashboard.example.com/lanterns.png' } : {}),
  };
}

function editedAt(ts: string): string {
  return `${String(Math.floor(Number(ts)) + 30)}.000000`;
}
