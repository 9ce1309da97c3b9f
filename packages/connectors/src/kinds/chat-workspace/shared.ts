import {
  create,
  field,
  meta,
  paging,
  param,
  type ListTerms,
  type RateRule,
} from '../../vocabulary/index.ts';

/** `cursor` of the lists that page. */
export function cursorParam() {
  return param.string('Cursor of the page to read, from next_cursor of the page before.');
}

/** What copies ask for, and the most of some lists: Slack says under 1,000, and that it may give fewer. */
export const LARGEST_PAGE = 999;

/** `limit` of the lists that page; Slack asks for 200 or fewer. */
export function pageSizeParam(
  doc: string,
  { usual, most = 1000 }: { readonly usual?: number; readonly most?: number } = {},
) {
  return param.pageSize(doc, {
    maximum: most,
    ...(usual === undefined ? {} : { default: usual }),
  });
}

/** The name of a channel as `conversations.create` and `.rename` take it. */
export function channelNameParam(doc: string) {
  return param.string(doc, {
    required: true,
    minLength: 1,
    maxLength: 80,
    pattern: {
      source: '^[^\\p{Lu}\\p{Lt}\\p{White_Space}]*$',
      says: 'lower-case and without spaces',
    },
  });
}

/** How the lists that page go on. */
export const byCursor = paging.cursor({
  param: 'cursor',
  next: 'next_cursor',
  // Of messages only; the other lists say nothing but the cursor.
  more: { at: 'has_more', is: true },
});

/** `next_cursor`, which is empty on the last page. */
export const nextCursor = meta(
  field.string('Cursor of the next page.'),
  'response_metadata.next_cursor',
);

/** The params and Meta fields that the lists of messages have in common; a page has `most` at most. */
export function messagePages({ most }: { readonly most: number }) {
  return {
    params: {
      cursor: cursorParam(),
      limit: pageSizeParam('Messages per page.', { most }),
      oldest: param.string('Start of the range, a Unix timestamp.'),
      latest: param.string('End of the range, a Unix timestamp.'),
      inclusive: param.boolean('Include messages exactly at oldest or latest.'),
    },
    meta: {
      next_cursor: nextCursor,
      has_more: meta(field.boolean('There are more messages.'), 'has_more'),
    },
  } as const;
}

const CALLS_PER_MINUTE = { 1: 1, 2: 20, 3: 50, 4: 100 } as const;

/**
 * Slack's rate limit tiers: calls a minute for each method and workspace.
 *
 * @see https://docs.slack.dev/apis/web-api/rate-limits
 */
export function tier(number: keyof typeof CALLS_PER_MINUTE): RateRule {
  return { perMinute: CALLS_PER_MINUTE[number], shared: 'request' };
}

/**
 * How `conversations.history` and `.replies` serve apps that are distributed outside the Marketplace.
 *
 * @see https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
 */
export const messagesOfDistributed: ListTerms = { rate: tier(1), largestPage: 15 };

/** The fields of a message in a channel or thread up to `thread_ts`. */
export const messageHead = {
  type: field.string('Always `message`.'),
  subtype: field.string('What kind of message it is, where it is not a plain one.'),
  ts: field.string('Timestamp, unique in the channel; identifies the message.', { always: true }),
  user: field.string('User who sent it.'),
  text: field.string('Text, with mrkdwn formatting.'),
  thread_ts: field.string('Timestamp of the message that began the thread.'),
} as const;

/** Known members of the profile of a bot. */
export const botProfile = {
  id: 'string',
  deleted: 'boolean',
  name: 'string',
  updated: 'integer',
  app_id: 'string',
  team_id: 'string',
} as const;

/** Known members of the topic or purpose of a channel. */
const topicMembers = { value: 'string', creator: 'string', last_set: 'integer' } as const;

/** The fields of a message in a channel or thread from `reply_count` on. */
export const messageTail = {
  reply_count: field.integer('Replies in the thread.'),
  reply_users_count: field.integer('Users who replied.'),
  latest_reply: field.string('Timestamp of the latest reply.'),
  reply_users: field.array('Ids of some of the users who replied.', 'string'),
  is_locked: field.boolean('The thread takes no more replies.'),
  subscribed: field.boolean('The caller follows the thread.'),
  reactions: field.items('Emoji reactions.', {
    name: field.string('Emoji name, without colons.'),
    users: field.array('Ids of users who reacted; not always all of them.', 'string'),
    count: field.integer('Users who reacted.'),
  }),
  attachments: field.items('Secondary content.', {
    id: field.integer('Number within the message.'),
    fallback: field.string('Plain text for clients that show no attachments.'),
    color: field.string('Colour of the side bar.'),
    pretext: field.string('Text above the attachment.'),
    author_name: field.string('Name of the author.'),
    author_link: field.string('Link of the author.'),
    author_icon: field.string('Icon of the author.'),
    title: field.string('Title.'),
    title_link: field.string('Link of the title.'),
    text: field.string('Main text.'),
    fields: field.array('Fields shown as a table.', {
      title: 'string',
      value: 'string',
      short: 'boolean',
    }),
    image_url: field.string('Picture.'),
    thumb_url: field.string('Thumbnail.'),
    footer: field.string('Footer.'),
    footer_icon: field.string('Icon of the footer.'),
    ts: field.stringOrInteger('Timestamp shown in the footer.'),
  }),
  blocks: field.array('Layout blocks.', 'object'),
  files: field.items('Files shared in the message.', {
    id: field.string('File id.'),
    name: field.string('File name.'),
    title: field.string('Title.'),
    mimetype: field.string('MIME type.'),
    filetype: field.string("Type, in Slack's short form."),
    pretty_type: field.string('Type, for people.'),
    user: field.string('User who uploaded it.'),
    size: field.integer('Size, in bytes.'),
    mode: field.string('Storage mode, for example hosted or external.'),
    is_external: field.boolean('The file is kept outside Slack.'),
    external_type: field.string('Where an external file is kept.'),
    is_public: field.boolean('The file is in a public channel.'),
    public_url_shared: field.boolean('A public link exists.'),
    url_private: field.string('Link that needs a token.'),
    url_private_download: field.string('Download link that needs a token.'),
    permalink: field.string('Link to the file in Slack.'),
    permalink_public: field.string('Public link.'),
    created: field.integer('Upload, in seconds since 1970.'),
    timestamp: field.integer('Upload, in seconds since 1970; the older name of created.'),
  }),
  edited: field.freeForm('Who edited the message last, and when.', {
    user: 'string',
    ts: 'string',
  }),
  bot_id: field.string('Bot that sent it.'),
  bot_profile: field.freeForm('Profile of the bot that sent it.', botProfile),
  app_id: field.string('App that sent it.'),
  team: field.string('Workspace of the sender.'),
} as const;

/** What only messages of some subtypes have, and what is about the client or the caller. */
export const leftOutOfMessages = [
  'client_msg_id',
  'comment',
  'deleted_ts',
  'event_ts',
  'hidden',
  'icons',
  'inviter',
  'is_starred',
  'item',
  'item_type',
  'members',
  'metadata',
  'name',
  'old_name',
  'permalink',
  'pinned_to',
  'purpose',
  'room',
  'root',
  'topic',
  'upload',
  'username',
] as const;

/** Adds the channel to the copies of messages, whose records do not name it. */
export const channelOfMessage = {
  only: { channel: field.string('Channel that the message is in.') },
  fromParams: { channel: 'channel' },
} as const;

/** Codes that say that the messages of one channel may not be read. */
export const unreadable = [
  'not_in_channel',
  'access_denied',
  'channel_not_found',
  'channel_is_limited_access',
  'is_archived',
  'method_not_supported_for_channel_type',
  'missing_scope',
  'no_permission',
  'restricted_action',
  'team_access_not_granted',
  'too_many_members',
] as const;

/** The fields of a channel, which four entities return. */
export const channelRecord = {
  id: field.string('Channel id.', { always: true }),
  name: field.string('Name, without #.'),
  is_channel: field.boolean('Is a public channel.'),
  is_group: field.boolean('Is a private channel made before March 2021.'),
  is_im: field.boolean('Is a direct message.'),
  is_mpim: field.boolean('Is a direct message of several people.'),
  is_private: field.boolean('Is private.'),
  created: field.integer('Creation, in seconds since 1970.'),
  is_archived: field.boolean('Is archived.'),
  is_general: field.boolean('Is the channel that every member is in.'),
  unlinked: field.integer('Unlinking from a shared workspace, in seconds since 1970; 0 if never.'),
  name_normalized: field.string('Name without special characters.'),
  is_shared: field.boolean('Is shared with another workspace.'),
  is_org_shared: field.boolean('Is shared within the organization.'),
  is_pending_ext_shared: field.boolean('Waits for another organization to accept it.'),
  pending_shared: field.array('Ids of workspaces that have not accepted yet.', 'string'),
  context_team_id: field.string('Workspace in whose context the channel is seen.'),
  updated: field.integer('Last change, in milliseconds since 1970.'),
  creator: field.string('User who made it.'),
  is_ext_shared: field.boolean('Is shared with another organization.'),
  shared_team_ids: field.array('Ids of the workspaces it is shared with.', 'string'),
  pending_connected_team_ids: field.array(
    'Ids of workspaces whose connection is pending.',
    'string',
  ),
  is_member: field.boolean('The caller is a member.'),
  topic: field.freeForm('Topic, who set it and when.', topicMembers),
  purpose: field.freeForm('Purpose, who set it and when.', topicMembers),
  previous_names: field.array('Earlier names.', 'string'),
  num_members: field.integer('Members.'),
  parent_conversation: field.string('Channel it was made from.'),
  properties: field.object('Tabs, canvas and other settings.'),
  is_thread_only: field.boolean('Takes thread replies only.'),
  is_read_only: field.boolean('Takes no messages from members.'),
} as const;

/** Setting the topic or purpose of a channel; Slack may answer without the channel. */
export function setChannelText<const N extends 'topic' | 'purpose'>(name: N) {
  const method = name === 'topic' ? 'setTopic' : 'setPurpose';
  const text = param.string(`New ${name}; empty removes it.`, { required: true, maxLength: 250 });
  const channel = param.string('Channel id.', { required: true });
  return create({
    doc: `Sets the ${name} of a channel and returns the channel.`,
    reference: `https://docs.slack.dev/reference/methods/conversations.${method}`,
    request: `POST /conversations.${method}`,
    // The computed member is N, by the type of the name.
    params: { channel, [name]: text } as { channel: typeof channel } & Record<N, typeof text>,
    record: 'channel',
    readBack: { entity: 'channels', params: { channel: 'channel' } },
    copies: [{ entity: 'channels' }],
    policies: { rates: [tier(2)] },
    howToFindOut: `Get the channel and look at its ${name}.`,
  });
}
