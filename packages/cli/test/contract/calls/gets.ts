import type { CallRow, Known } from '../call.ts';

/** Single records of every kind. */
export const GETS: readonly CallRow[] = [
  {
    name: 'a user',
    of: 'slack',
    operation: 'users.get',
    params: ({ user }: Known) => ({ user }),
  },
  {
    name: 'a channel',
    of: 'slack',
    operation: 'channels.get',
    params: ({ channel }: Known) => ({ channel }),
  },
  {
    name: 'some fields of a channel',
    of: 'slack',
    operation: 'channels.get',
    params: ({ channel }: Known) => ({ channel }),
    selectFields: ['topic.value', 'name'],
  },
  {
    name: 'a contact',
    of: 'intercom',
    operation: 'contacts.get',
    params: ({ contact }: Known) => ({ id: contact }),
  },
  {
    name: 'a conversation with its parts',
    of: 'intercom',
    operation: 'conversations.get',
    params: ({ conversation }: Known) => ({ id: conversation }),
  },
  {
    name: 'a team',
    of: 'intercom',
    operation: 'teams.get',
    params: ({ team }: Known) => ({ id: team }),
  },
  {
    name: 'an agent',
    of: 'chat',
    operation: 'agents.get',
    params: ({ agent }: Known) => ({ agent_id: agent }),
  },
  {
    name: 'a chat with its history',
    of: 'chat',
    operation: 'chats.get',
    params: ({ chat }: Known) => ({ chat_id: chat }),
  },
  {
    name: 'a shortcut, by its name',
    of: 'chat',
    operation: 'shortcuts.get',
    params: ({ shortcut }: Known) => ({ shortcut_id: shortcut }),
  },
  {
    name: 'a shortcut, by a name that is a number',
    of: 'chat',
    operation: 'shortcuts.get',
    params: { shortcut_id: 2024 },
  },
  { name: 'the account, without params', of: 'chat', operation: 'accounts.get' },
  { name: 'a record without a key', of: 'chat', operation: 'routing_settings.get', params: {} },
  {
    name: 'a ticket',
    of: 'support',
    operation: 'tickets.get',
    params: ({ ticket }: Known) => ({ ticket_id: ticket }),
  },
  {
    name: 'what is known of a file',
    of: 'support',
    operation: 'attachments.get',
    params: ({ attachment }: Known) => ({ attachment_id: attachment }),
  },
];
