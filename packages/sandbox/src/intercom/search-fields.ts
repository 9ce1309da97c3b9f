import { isJsonObject } from '../body-shaping.ts';
import type { Collection } from './collection.ts';
import type { IntercomContact } from './seeded-contacts.ts';
import type { IntercomConversation } from './seeded-conversations.ts';

/** What may be compared with a field. */
export type FieldType = 'date' | 'integer' | 'string' | 'boolean';

/** A field that can be searched by. A value that is a list matches when one of its items does. */
export interface SearchField {
  readonly type: FieldType;
  read(position: number): unknown;
}

/** Finds a field by its name; undefined for one that cannot be searched by. */
export type FindField = (name: string) => SearchField | undefined;

const CONTACT_FIELDS = fieldTypes({
  string: [
    'id',
    'role',
    'name',
    'avatar',
    'email',
    'email_domain',
    'phone',
    'external_id',
    'language_override',
    'browser',
    'browser_language',
    'os',
    'location.country',
    'location.region',
    'location.city',
    'ios_app_name',
    'ios_app_version',
    'ios_device',
    'ios_os_version',
    'ios_sdk_version',
    'android_app_name',
    'android_app_version',
    'android_device',
    'android_sdk_version',
    'tag_id',
  ],
  integer: ['owner_id'],
  boolean: ['unsubscribed_from_emails', 'marked_email_as_spam', 'has_hard_bounced'],
  date: [
    'created_at',
    'updated_at',
    'signed_up_at',
    'last_seen_at',
    'last_contacted_at',
    'last_replied_at',
    'last_email_opened_at',
    'last_email_clicked_at',
    'ios_last_seen_at',
    'android_last_seen_at',
  ],
});

const CONVERSATION_FIELDS = fieldTypes({
  string: [
    'id',
    'state',
    'priority',
    'source.type',
    'source.id',
    'source.delivered_as',
    'source.subject',
    'source.body',
    'source.url',
    'source.author.id',
    'source.author.type',
    'source.author.name',
    'source.author.email',
    'contact_ids',
    'teammate_ids',
    'tag_ids',
    'statistics.last_closed_by_id',
    'ai_agent.resolution_state',
    'ai_agent.last_answer_type',
    'ai_agent.source_type',
    'ai_agent.source_title',
  ],
  integer: [
    'admin_assignee_id',
    'team_assignee_id',
    'statistics.time_to_admin_reply',
    'statistics.count_reopens',
    'statistics.count_assignments',
    'statistics.count_conversation_parts',
    'conversation_rating.rating',
    'ai_agent.rating',
  ],
  boolean: ['open', 'read', 'ai_agent_participated'],
  date: ['created_at', 'updated_at', 'waiting_since', 'snoozed_until'],
});

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/searchcontacts */
export function contactFields(contacts: Collection<IntercomContact>): FindField {
  const read = lastRead(contacts);
  return (name) => {
    switch (name) {
      case 'created_at':
        return { type: 'date', read: (position) => contacts.createdAt(position) };
      case 'updated_at':
        return { type: 'date', read: (position) => contacts.updatedAt(position) };
      case 'email_domain':
        return { type: 'string', read: (position) => read(position).email?.split('@')[1] ?? null };
      case 'tag_id':
        return { type: 'string', read: (position) => read(position).tags.data.map(({ id }) => id) };
    }
    return namedField(CONTACT_FIELDS, name, read);
  };
}

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/conversations/searchconversations */
export function conversationFields(conversations: Collection<IntercomConversation>): FindField {
  const read = lastRead(conversations);
  return (name) => {
    switch (name) {
      case 'created_at':
        return { type: 'date', read: (position) => conversations.createdAt(position) };
      case 'updated_at':
        return { type: 'date', read: (position) => conversations.updatedAt(position) };
      case 'contact_ids':
        return listed((position) => read(position).contacts.contacts);
      case 'teammate_ids':
        return listed((position) => read(position).teammates?.admins ?? []);
      case 'tag_ids':
        return listed((position) => read(position).tags.tags);
    }
    return namedField(CONVERSATION_FIELDS, name, read);
  };
}

function listed(read: (position: number) => readonly { readonly id: string }[]): SearchField {
  return { type: 'string', read: (position) => read(position).map(({ id }) => id) };
}

function namedField(
  types: ReadonlyMap<string, FieldType>,
  name: string,
  read: (position: number) => unknown,
): SearchField | undefined {
  const prefix = 'custom_attributes.';
  // A custom attribute may have dots in its own name, so only the first one separates.
  const path = name.startsWith(prefix)
    ? ['custom_attributes', name.slice(prefix.length)]
    : name.split('.');
  const type = name.startsWith(prefix) ? 'string' : types.get(name);
  return type === undefined
    ? undefined
    : { type, read: (position) => valueAt(read(position), path) };
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value ?? null;
}

/** Several conditions read one record after the other: it is made once for all of them. */
function lastRead<Item extends IntercomContact | IntercomConversation>(
  collection: Collection<Item>,
): (position: number) => Item {
  let last: { readonly position: number; readonly item: Item } | undefined;
  return (position) => {
    if (last?.position !== position) last = { position, item: collection.at(position) };
    return last.item;
  };
}

function fieldTypes(
  names: Readonly<Record<FieldType, readonly string[]>>,
): ReadonlyMap<string, FieldType> {
  const types: readonly FieldType[] = ['string', 'integer', 'boolean', 'date'];
  return new Map(types.flatMap((type) => names[type].map((name) => [name, type] as const)));
}
