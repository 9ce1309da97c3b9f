import type { ZendeskRecord } from '../zendesk-support/collection.ts';
import { ChatError } from './chat-error.ts';

/** The fields of an item that each export gives when the call names none. */
const DEFAULT_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['chats', ['id']],
  ['agent_timeline', ['agent_id', 'start_time']],
]);

/**
 * Reads the `fields` of an export, such as `chats(*)` or `chats(id,visitor)`, into a function that
 * leaves the other fields out.
 *
 * @throws ChatError 400 for what is no list of fields.
 */
export function readFields(
  name: string,
  text: string | undefined,
): (record: ZendeskRecord) => ZendeskRecord {
  if (text === undefined) return only(DEFAULT_FIELDS.get(name) ?? ['id']);
  const [, of, list = ''] = /^([a-z_]+)\(([a-z_,* ()]*)\)$/.exec(text) ?? [];
  if (of !== name) throw new ChatError(400, `fields must be written as ${name}(...)`);
  // A nested field is named in brackets after the outer one; the sandbox gives the outer one whole.
  const names = list.replaceAll(/\([^()]*\)/g, '').split(',');
  return names.includes('*') ? (record) => record : only(names.map((field) => field.trim()));
}

function only(names: readonly string[]): (record: ZendeskRecord) => ZendeskRecord {
  return (record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}
