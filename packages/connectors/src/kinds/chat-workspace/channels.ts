import {
  create,
  entity,
  field,
  get,
  list,
  param,
  searchable,
  update,
} from '../../vocabulary/index.ts';
import {
  byCursor,
  channelNameParam,
  channelRecord,
  cursorParam,
  LARGEST_PAGE,
  nextCursor,
  pageSizeParam,
  tier,
} from './shared.ts';

/** @see docs/reference/chat-workspace.md#channels */
export const channels = entity({
  name: 'channels',
  doc: 'Public and private channels and direct messages.',
  reference: 'https://docs.slack.dev/reference/objects/conversation-object',
  record: channelRecord,
  // Of direct messages, of Enterprise organisations, and what the calling user has read.
  leftOut: [
    'connected_team_ids',
    'conversation_host_id',
    'enterprise_id',
    'internal_team_ids',
    'is_frozen',
    'is_non_threadable',
    'is_open',
    'is_user_deleted',
    'latest',
    'members',
    'priority',
    'unread_count',
    'unread_count_display',
    'user',
  ],
  actions: {
    list: list({
      doc: 'Lists channels; public ones unless types says otherwise.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.list',
      request: 'GET /conversations.list',
      params: {
        cursor: cursorParam(),
        limit: pageSizeParam('Channels per page.', { most: LARGEST_PAGE }),
        types: param.commaList('Types of channels to list.', [
          'public_channel',
          'private_channel',
          'mpim',
          'im',
        ]),
        exclude_archived: param.boolean('Leave archived channels out.'),
      },
      records: 'channels',
      meta: { next_cursor: nextCursor },
      paging: byCursor,
      policies: { rates: [tier(2)] },
    }),
    get: get({
      doc: 'Reads one channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.info',
      request: 'GET /conversations.info',
      params: { channel: param.string('Channel id.', { required: true }) },
      constants: { include_num_members: true },
      record: 'channel',
      policies: { rates: [tier(3)] },
    }),
    create: create({
      doc: 'Makes a channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.create',
      request: 'POST /conversations.create',
      params: {
        name: channelNameParam('Name of the channel.'),
        is_private: param.boolean('Make a private channel instead of a public one.'),
      },
      record: 'channel',
      policies: { rates: [tier(2)] },
      howToFindOut: 'List the channels and look for the name.',
    }),
    update: update({
      doc: 'Renames a channel.',
      reference: 'https://docs.slack.dev/reference/methods/conversations.rename',
      request: 'POST /conversations.rename',
      params: {
        channel: param.string('Id of the channel to rename.', { required: true }),
        name: channelNameParam('New name.'),
      },
      record: 'channel',
      policies: { rates: [tier(2)] },
      howToFindOut: 'Get the channel and look at its name.',
    }),
  },
  search: searchable(channelRecord, {
    without: ['is_thread_only', 'properties'],
    only: {
      last_read: field.string('Timestamp of the last message that the caller has read.'),
      locale: field.string('Language of the channel, as an IETF tag.'),
    },
    sortable: ['id', 'name', 'name_normalized', 'created', 'updated', 'num_members'],
    text: ['name', 'name_normalized', 'previous_names', 'purpose', 'topic'],
  }),
  replicate: {
    params: { limit: LARGEST_PAGE },
    // Each type needs a scope of its own, and one that is missing refuses a list of several types.
    parts: {
      param: 'types',
      values: ['public_channel', 'private_channel', 'mpim', 'im'],
      refusals: ['missing_scope', 'invalid_types', 'method_not_supported_for_channel_type'],
    },
    fullEveryHours: 24,
  },
});
