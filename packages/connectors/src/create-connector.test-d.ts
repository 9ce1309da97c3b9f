/**
 * Types of the call surface of chat-workspace. Compiled, never run: what must not compile stands
 * under `@ts-expect-error`.
 */
import { createConnector, type AnyConnector, type Connector } from './create-connector.ts';
import type { Kinds } from './kinds/index.ts';
import type { RecordOf } from './vocabulary/index.ts';
import type { Warning } from './warning.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles where the types are the same, and only there. */
function same<_A, _B>(..._proof: Equal<_A, _B> extends true ? [] : [never]): void {
  // There is nothing to do: the types are the test.
}
type Awaits<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;

const word = 'a word';

type Slack = Connector<Kinds['chat-workspace']>;
type Entities = Kinds['chat-workspace']['entities'];
type User = RecordOf<Entities['users']>;
type Channel = RecordOf<Entities['channels']>;
type Message = RecordOf<Entities['channel_messages']>;

export function records(user: User, channel: Channel, message: Message): void {
  same<User['id'], string>();
  same<User['name'], string | null>();
  same<User['tz_offset'], number | null>();
  same<User['deleted'], boolean | null>();
  same<Channel['previous_names'], string[] | null>();
  same<Channel['properties'], { readonly [key: string]: unknown } | null>();
  same<Message['ts'], string>();
  same<NonNullable<Message['reactions']>[number]['count'], number | null>();
  same<NonNullable<Message['attachments']>[number]['ts'], string | number | null>();
  same<NonNullable<Message['files']>[number]['is_public'], boolean | null>();
  same<RecordOf<Entities['reactions']>, { readonly ok: boolean }>();
  same<RecordOf<Entities['threads']>['parent_user_id'], string | null>();
  same<RecordOf<Entities['channel_topics']>, Channel>();
  same<RecordOf<Entities['channel_purposes']>, Channel>();
  // @ts-expect-error -- a searchable field is no record field
  void user.has_2fa;
  // @ts-expect-error -- only threads have it
  void message.parent_user_id;
  // @ts-expect-error -- records are read-only
  channel.id = 'C1';
  // @ts-expect-error -- it may be null
  void user.name.length;
}

type Support = Kinds['support-ticketing']['entities'];
type Chat = Kinds['support-chat']['entities'];
type Messaging = Kinds['customer-messaging']['entities'];

/** What is known of objects and arrays that are handed on verbatim; nothing of it is checked. */
export function members(
  user: User,
  ticket: RecordOf<Support['tickets']>,
  comment: RecordOf<Support['ticket_comments']>,
  trigger: RecordOf<Support['triggers']>,
  chat: RecordOf<Chat['chats']>,
  account: RecordOf<Chat['accounts']>,
  routing: RecordOf<Chat['routing_settings']>,
  rule: RecordOf<Chat['triggers']>,
  team: RecordOf<Messaging['teams']>,
  contact: RecordOf<Messaging['contacts']>,
): void {
  const email = user.profile?.email;
  same<typeof email, string | null | undefined>();
  same<NonNullable<User['profile']>['status_expiration'], number | null | undefined>();
  // There may be others.
  same<NonNullable<User['profile']>[string], unknown>();
  same<typeof ticket.tags, string[] | null>();
  same<typeof ticket.collaborator_ids, number[] | null>();
  type CustomField = NonNullable<typeof ticket.custom_fields>[number];
  same<CustomField['id'], number | null | undefined>();
  same<CustomField['value'], unknown>();
  type Attachment = NonNullable<typeof comment.attachments>[number];
  same<Attachment['file_name'], string | null | undefined>();
  same<NonNullable<NonNullable<typeof comment.metadata>['flags']>, number[]>();
  type All = NonNullable<NonNullable<typeof trigger.conditions>['all']>;
  same<All[number]['operator'], string | null | undefined>();
  same<typeof chat.agent_ids, string[] | null>();
  same<NonNullable<typeof chat.history>[number]['tags'], string[] | null>();
  // Numbers in some of the vendor's examples, and text in others.
  type Limit = NonNullable<typeof account.plan>['max_departments'];
  same<Limit, string | number | null | undefined>();
  same<Attachment['width'], string | number | null | undefined>();
  // What the vendor does not describe has no type.
  same<typeof rule.conditions, unknown[] | null>();
  same<typeof rule.actions, unknown[] | null>();
  same<typeof routing.auto_accept, { readonly [key: string]: unknown } | null>();
  same<
    NonNullable<typeof team.admin_priority_level>['primary_admin_ids'],
    number[] | null | undefined
  >();
  type Tag = NonNullable<NonNullable<typeof contact.tags>['data']>[number];
  same<Tag['id'], string | null | undefined>();
  // What the workspace defined, nobody else knows.
  same<typeof contact.custom_attributes, { readonly [key: string]: unknown } | null>();
  same<NonNullable<Message['blocks']>[number], { readonly [key: string]: unknown }>();
  // @ts-expect-error -- it may be null or missing
  void ticket.custom_fields?.[0].id.toFixed();
}

export function aliases(given: { readonly access_token: string }): void {
  const slack = createConnector('slack', { credentials: { api_token: word } });
  same<typeof slack, Slack>();
  const chat = createConnector('zendesk-chat', { credentials: given });
  same<typeof chat, Connector<Kinds['support-chat']>>();
  const support = createConnector('zendesk-support', { credentials: given });
  same<typeof support, Connector<Kinds['support-ticketing']>>();
  const intercom = createConnector('intercom', { credentials: given, config: { region: 'eu' } });
  same<typeof intercom, Connector<Kinds['customer-messaging']>>();
  // @ts-expect-error -- an alias has the credentials of its kind
  createConnector('slack', { credentials: { email: word, api_token: word } });
  // @ts-expect-error -- which of the two?
  createConnector('zendesk', { credentials: given });
}

export function calls(slack: Slack): void {
  same<
    Awaits<typeof slack.users.list>,
    {
      readonly data: readonly User[];
      readonly meta: { readonly next_cursor: string | null };
      readonly nextParams: {
        readonly cursor?: string | null | undefined;
        readonly limit?: number | null | undefined;
      } | null;
      readonly warnings: readonly Warning[];
    }
  >();
  same<
    Awaits<typeof slack.channel_messages.list>['meta'],
    { readonly next_cursor: string | null; readonly has_more: boolean | null }
  >();
  same<Awaits<typeof slack.users.get>, User>();
  same<Awaits<typeof slack.channels.update>, Channel>();
  same<Awaits<typeof slack.channel_purposes.create>, Channel>();
  same<Awaits<typeof slack.reactions.create>, { readonly ok: boolean }>();
  same<ReturnType<typeof slack.channels.list.all>, AsyncGenerator<Channel, void, undefined>>();
  type UserPages = ReturnType<typeof slack.users.list.pages>;
  same<
    UserPages extends AsyncGenerator<infer P, void, undefined> ? P : never,
    Awaits<typeof slack.users.list>
  >();
}

export async function params(slack: Slack): Promise<void> {
  await slack.users.list();
  await slack.users.list({});
  await slack.users.list({ limit: null, cursor: undefined });
  await slack.users.list({ limit: 5 }, { timeoutMs: 1, signal: AbortSignal.abort() });
  await slack.users.list({ limit: 5 }, { timeoutMs: undefined, signal: undefined });
  await slack.threads.list({ channel: 'C1' });
  await slack.channels.create({ name: 'a', is_private: null });
  // @ts-expect-error -- user is required
  await slack.users.get();
  // @ts-expect-error -- user is required
  await slack.users.get({});
  // @ts-expect-error -- a required param is not null
  await slack.users.get({ user: null });
  // @ts-expect-error -- nor of another type
  await slack.users.get({ user: 7 });
  // @ts-expect-error -- unknown
  await slack.users.get({ user: 'U1', usr: 'U1' });
  // @ts-expect-error -- a number
  await slack.users.list({ limit: '5' });
  // @ts-expect-error -- unknown
  await slack.users.list({ limt: 5 });
  // @ts-expect-error -- channel is required
  slack.threads.list.all({ ts: '1.0' });
  // @ts-expect-error -- channel is required
  slack.channel_messages.list.pages();
  // @ts-expect-error -- text is required
  await slack.messages.create({ channel: 'C1' });
  // @ts-expect-error -- a boolean
  await slack.messages.create({ channel: 'C1', text: 'x', unfurl_links: 'no' });
  // @ts-expect-error -- an unknown option
  await slack.users.list({}, { timeout: 5 });
}

export async function nextPages(slack: Slack): Promise<void> {
  const given = { channel: 'C1', limit: 5 };
  let page = await slack.channel_messages.list(given);
  while (page.nextParams !== null)
    page = await slack.channel_messages.list({ ...given, ...page.nextParams });
  for await (const { nextParams } of slack.channel_messages.list.pages(given))
    await slack.channel_messages.list({ ...given, ...nextParams });
  const { nextParams } = await slack.channel_messages.list(given);
  const cursor: string | null | undefined = nextParams?.cursor;
  void cursor;
  // @ts-expect-error -- no param of the list
  void nextParams?.page;
  // @ts-expect-error -- it may be null
  void nextParams.cursor;
  // @ts-expect-error -- it need not have the required params
  await slack.channel_messages.list({ ...nextParams });
}

export async function surface(slack: Slack): Promise<void> {
  // @ts-expect-error -- search is hosted only
  void slack.users.search;
  // @ts-expect-error -- users are read-only
  void slack.users.create;
  // @ts-expect-error -- messages are listed as channel_messages
  void slack.messages.list;
  // @ts-expect-error -- channel_messages are read-only
  void slack.channel_messages.create;
  // @ts-expect-error -- there is no such entity
  void slack.emoji;
  // @ts-expect-error -- a write has no pages
  void slack.messages.create.pages;
  // @ts-expect-error -- a get has no pages
  void slack.users.get.all;
  same<
    ReturnType<Slack['entities']>[number],
    | 'users'
    | 'channels'
    | 'channel_messages'
    | 'threads'
    | 'messages'
    | 'channel_topics'
    | 'channel_purposes'
    | 'reactions'
  >();
  void slack.describe('users').record;
  void slack.describe().entities;
  // @ts-expect-error -- there is no such entity
  void slack.describe('user');
  same<Awaits<Slack['check']>['status'], 'succeeded' | 'failed'>();
  await slack.check({ timeoutMs: 5 });
}

export async function execute(slack: Slack): Promise<void> {
  const page = await slack.execute('users', 'list', { limit: 1 });
  same<typeof page, Awaits<typeof slack.users.list>>();
  const channel = await slack.execute('channel_topics', 'create', { channel: 'C1', topic: '' });
  same<typeof channel, Channel>();
  await slack.execute('users', 'list');
  await slack.execute('users', 'list', {}, { priority: 'background' });
  // @ts-expect-error -- there is no such entity
  await slack.execute('user', 'list');
  // @ts-expect-error -- the entity has no such action
  await slack.execute('users', 'create', {});
  // @ts-expect-error -- search is hosted only
  await slack.execute('users', 'search', { query: {} });
  // @ts-expect-error -- user is required
  await slack.execute('users', 'get');
  // @ts-expect-error -- user is required
  await slack.execute('users', 'get', {});
  // @ts-expect-error -- unknown
  await slack.execute('users', 'list', { user: 'U1' });
}

export function credentials(): void {
  createConnector('chat-workspace', { credentials: { api_token: word } });
  createConnector('chat-workspace', {
    credentials: { client_id: word, client_secret: word, access_token: word },
  });
  // @ts-expect-error -- credentials are required
  createConnector('chat-workspace', {});
  // @ts-expect-error -- of one method
  createConnector('chat-workspace', { credentials: {} });
  // @ts-expect-error -- all of its fields
  createConnector('chat-workspace', { credentials: { access_token: word } });
  // @ts-expect-error -- each a string
  createConnector('chat-workspace', { credentials: { api_token: 5 } });
  // @ts-expect-error -- unknown
  createConnector('chat-workspace', { credentials: { api_token: word, password: word } });
  createConnector('chat-workspace', {
    // @ts-expect-error -- not of two methods
    credentials: { api_token: word, client_id: word, client_secret: word, access_token: word },
  });
  // @ts-expect-error -- not of two methods
  createConnector('chat-workspace', { credentials: { api_token: word, client_id: word } });
}

export function options(): void {
  const given = { credentials: { api_token: word } };
  createConnector('chat-workspace', { ...given, upstreamLimits: 0.5 });
  createConnector('chat-workspace', { ...given, upstreamLimits: 'reactive', config: {} });
  // @ts-expect-error -- there is no such kind
  createConnector('chat', given);
  // @ts-expect-error -- no such mode
  createConnector('chat-workspace', { ...given, upstreamLimits: 'off' });
  // @ts-expect-error -- chat-workspace has no config
  createConnector('chat-workspace', { ...given, config: { subdomain: 'x' } });
}

/** What takes a connector of any kind needs to know none. */
async function takeAny(connector: AnyConnector) {
  // @ts-expect-error -- nobody knows what entities it has
  void connector.users;
  return connector.execute('users', 'list', { limit: 1 });
}

export async function anyKind(slack: Slack, support: Connector<Kinds['support-ticketing']>) {
  same<Awaits<typeof takeAny>, unknown>();
  await Promise.all([slack, support].map(takeAny));
}
