import { entity, field, get, list, param, searchable } from '../../vocabulary/index.ts';
import { byCursor, cursorParam, nextCursor, pageSizeParam, tier } from './shared.ts';

const record = {
  id: field.string('User id.', { always: true }),
  team_id: field.string('Workspace the user belongs to.'),
  name: field.string('User name, unique in the workspace.'),
  deleted: field.boolean('The account is deactivated.'),
  color: field.string('Colour used for the name in some clients, as hexadecimal digits.'),
  real_name: field.string('First and last name.'),
  tz: field.string('Time zone, by its tz database name.'),
  tz_label: field.string('Time zone, in words.'),
  tz_offset: field.integer('Offset of the time zone from UTC, in seconds.'),
  profile: field.freeForm('Names, e-mail address, status and pictures.'),
  is_admin: field.boolean('Administers the workspace.'),
  is_owner: field.boolean('Owns the workspace.'),
  is_primary_owner: field.boolean('Is the primary owner of the workspace.'),
  is_restricted: field.boolean('Is a guest.'),
  is_ultra_restricted: field.boolean('Is a guest of one channel.'),
  is_bot: field.boolean('Is a bot.'),
  is_app_user: field.boolean('Is a user of the calling app.'),
  updated: field.integer('Last change of the user, in seconds since 1970.'),
  is_email_confirmed: field.boolean('The e-mail address is confirmed.'),
  who_can_share_contact_card: field.string('Who may share the contact card.'),
} as const;

/** @see docs/reference/chat-workspace.md#users */
export const users = entity({
  name: 'users',
  doc: 'Members, guests and bots of the workspace.',
  reference: 'https://docs.slack.dev/reference/objects/user-object',
  record,
  actions: {
    list: list({
      doc: 'Lists the members of the workspace.',
      reference: 'https://docs.slack.dev/reference/methods/users.list',
      request: 'GET /users.list',
      params: {
        cursor: cursorParam(),
        limit: pageSizeParam('Users per page.'),
      },
      records: 'members',
      meta: { next_cursor: nextCursor },
      paging: byCursor,
      policies: { rates: [tier(2)] },
    }),
    get: get({
      doc: 'Reads one user.',
      reference: 'https://docs.slack.dev/reference/methods/users.info',
      request: 'GET /users.info',
      params: { user: param.string('User id.', { required: true }) },
      record: 'user',
      policies: { rates: [tier(4)] },
    }),
  },
  search: searchable(record, {
    only: {
      has_2fa: field.boolean('Two-factor authentication is on.'),
      is_forgotten: field.boolean('The user has been erased.'),
      is_invited_user: field.boolean('Was invited and has not joined yet.'),
    },
    sortable: ['id', 'name', 'real_name', 'updated'],
    text: ['name', 'profile', 'real_name'],
  }),
  replicate: { params: { limit: 1000 }, fullEveryHours: 24 },
});
