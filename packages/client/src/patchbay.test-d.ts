/**
 * Types of the hosted client. Compiled, never run: what must not compile stands under
 * `@ts-expect-error`.
 */
import type { Connector } from '@patchbay/connectors';
import { openConnect, type ConnectResult } from './connect.ts';
import type {
  ConnectorInfo,
  ConnectSession,
  ConnectSessionPage,
  ConsentUrl,
  CreatedConnectSession,
  HostedCallOptions,
  HostedConnector,
  Kinds,
  RequestedRun,
  SearchHit,
  SearchPage,
  SearchRecord,
  SyncStatus,
} from './index.ts';
import { Patchbay, type PartOf, type RecordOf, type UntypedConnector } from './index.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles where the types are the same, and only there. */
function same<_A, _B>(..._proof: Equal<_A, _B> extends true ? [] : [never]): void {
  // There is nothing to do: the types are the test.
}
type Awaits<F extends (...args: never[]) => unknown> = Awaited<ReturnType<F>>;

type Slack = HostedConnector<Kinds['chat-workspace']>;
type Library = Connector<Kinds['chat-workspace']>;
type User = RecordOf<Kinds['chat-workspace']['entities']['users']>;

const word = 'a word';

export function making(): void {
  const given = { baseUrl: word, clientId: word, clientSecret: word, externalUserId: word };
  void new Patchbay(given);
  void new Patchbay({ ...given, access: 'read', timeoutMs: 5, fetch });
  // What is left out is read from the environment.
  void new Patchbay();
  void new Patchbay({ externalUserId: word });
  const token = async () => word;
  void new Patchbay({ token });
  void new Patchbay({ baseUrl: word, token, timeoutMs: 5 });
  // @ts-expect-error -- who calls, the token says
  void new Patchbay({ ...given, token });
  // @ts-expect-error -- and for whom
  void new Patchbay({ token, externalUserId: word });
  // @ts-expect-error -- and what may be done
  void new Patchbay({ token, access: 'read' });
  // @ts-expect-error -- a function, since tokens expire
  void new Patchbay({ token: word });
  // @ts-expect-error -- no such access
  void new Patchbay({ ...given, access: 'admin' });
}

export async function finding(patchbay: Patchbay): Promise<void> {
  same<Awaited<ReturnType<typeof slackOf>>, Slack>();
  const slackOf = () => patchbay.connector('chat-workspace');
  const byId = await patchbay.connector(word, { kind: 'chat-workspace', timeoutMs: 5 });
  same<typeof byId, Slack>();
  const byAlias = await patchbay.connector('slack');
  same<typeof byAlias, Slack>();
  const byIdAndAlias = await patchbay.connector(word, { kind: 'slack' });
  same<typeof byIdAndAlias, Slack>();
  const tickets = await patchbay.connector('zendesk-support');
  same<typeof tickets, HostedConnector<Kinds['support-ticketing']>>();
  const untyped = await patchbay.connector(word);
  same<typeof untyped, UntypedConnector>();
  same<Awaits<typeof untyped.execute>, unknown>();
  // @ts-expect-error -- there is no such kind
  await patchbay.connector(word, { kind: 'chat' });
}

export async function results(slack: Slack, library: Library): Promise<void> {
  const page = await slack.users.list({ limit: 1 });
  same<typeof page, Awaits<typeof library.users.list>>();
  const user = await slack.users.get({ user: word });
  same<typeof user, User>();
  const byName = await slack.execute('users', 'get', { user: word }, { timeoutMs: 5 });
  same<typeof byName, User>();
  const listed = await slack.execute('users', 'list');
  same<typeof listed, typeof page>();
  for await (const each of slack.users.list.all({ limit: 1 })) same<typeof each, User>();
  for await (const each of slack.users.list.pages()) same<typeof each, typeof page>();
  same<ReturnType<Slack['entities']>, ReturnType<Library['entities']>>();
  same<ReturnType<Slack['describe']>, ReturnType<Library['describe']>>();
}

export async function selections(slack: Slack, options: HostedCallOptions): Promise<void> {
  const { data, meta } = await slack.users.list({}, { selectFields: ['id'] });
  same<typeof data, readonly PartOf<User>[]>();
  same<typeof meta, { readonly next_cursor: string | null }>();
  // @ts-expect-error -- it may have been left out
  void data[0]?.id.length;
  const user = await slack.execute('users', 'get', { user: word }, { excludeFields: ['profile'] });
  same<typeof user, PartOf<User>>();
  const either = await slack.users.get({ user: word }, options);
  same<typeof either, PartOf<User>>();
  for await (const each of slack.users.list.all(undefined, options))
    same<typeof each, PartOf<User>>();
  const messages = await slack.channel_messages.list({ channel: word }, options);
  type Reactions = NonNullable<(typeof messages)['data'][number]['reactions']>;
  same<Reactions[number]['count'], number | null | undefined>();
}

export async function params(slack: Slack): Promise<void> {
  await slack.users.list();
  await slack.users.list({ limit: null, cursor: undefined });
  await slack.users.list(undefined, { signal: AbortSignal.abort(), idempotencyKey: word });
  // What a caller may not have either.
  const absent = { signal: undefined, timeoutMs: undefined, idempotencyKey: undefined };
  await slack.users.list({}, absent);
  await slack.channels.create({ name: word }, { idempotencyKey: word });
  // @ts-expect-error -- user is required
  await slack.users.get();
  // @ts-expect-error -- user is required
  await slack.users.get({});
  // @ts-expect-error -- unknown
  await slack.users.list({ limt: 5 });
  // @ts-expect-error -- a number
  await slack.users.list({ limit: '5' });
  // @ts-expect-error -- an unknown option
  await slack.users.list({}, { timeout: 5 });
  // @ts-expect-error -- an unknown option among known ones
  await slack.users.list({}, { timeoutMs: 5, prio: 'high' });
  // @ts-expect-error -- not a list of names
  await slack.users.list({}, { selectFields: 'id' });
  // @ts-expect-error -- channel is required
  slack.threads.list.all({ ts: '1.0' });
  // @ts-expect-error -- users are read-only
  void slack.users.create;
  // @ts-expect-error -- there is no such entity
  void slack.emoji;
  // @ts-expect-error -- a write has no pages
  void slack.messages.create.pages;
}

export async function execute(slack: Slack): Promise<void> {
  // @ts-expect-error -- there is no such entity
  await slack.execute('user', 'list');
  // @ts-expect-error -- the entity has no such action
  await slack.execute('users', 'create', {});
  // @ts-expect-error -- user is required
  await slack.execute('users', 'get');
  // @ts-expect-error -- unknown
  await slack.execute('users', 'list', { user: word });
}

type Users = Kinds['chat-workspace']['entities']['users'];

export async function searches(slack: Slack, library: Library): Promise<void> {
  const query = { filter: { fuzzy: { real_name: word }, gt: { updated: 5 } } };
  const page = await slack.users.search({ query, limit: 2, cursor: null });
  same<typeof page, SearchPage<SearchHit<Users>>>();
  same<typeof page.next_cursor, string | null>();
  same<typeof page.partial, true | undefined>();
  await slack.users.search({ query, timeout_ms: 500, allow_partial: true });
  // @ts-expect-error -- a number
  await slack.users.search({ query, timeout_ms: '500' });
  same<typeof page.sync.lag_seconds, number | null>();
  same<typeof page.execution_metadata.upstream, string | undefined>();
  const hit = page.hits[0];
  same<typeof hit, SearchHit<Users> | undefined>();
  // Searchable, and in no record.
  const has2fa: boolean | null | undefined = hit?.data.has_2fa;
  void has2fa;
  const part = await slack.users.search({ query, fields: ['real_name', ['profile', 'e.mail']] });
  same<typeof part, SearchPage<SearchHit<Users, PartOf<SearchRecord<Users>>>>>();
  const byName = await slack.execute('users', 'search', { query }, { timeoutMs: 5 });
  same<typeof byName, typeof page>();
  const partByName = await slack.execute('users', 'search', { query, fields: ['id'] });
  same<typeof partByName, typeof part>();
  for await (const each of slack.users.search.pages({ query })) same<typeof each, typeof page>();
  for await (const each of slack.users.search.all({ query: {} }))
    same<typeof each, SearchHit<Users>>();
  for await (const each of slack.users.search.all({ query, fields: ['id'] }))
    same<typeof each, SearchHit<Users, PartOf<SearchRecord<Users>>>>();
  // @ts-expect-error -- a query is required
  await slack.users.search({});
  // @ts-expect-error -- and so are params
  await slack.users.search();
  // @ts-expect-error -- there is no such field
  await slack.users.search({ query: { filter: { eq: { real_nme: word } } } });
  // @ts-expect-error -- a text against an integer
  await slack.users.search({ query: { filter: { gt: { updated: word } } } });
  // @ts-expect-error -- objects have no order
  await slack.users.search({ query: { filter: { gt: { profile: 5 } } } });
  // @ts-expect-error -- there is no such operator
  await slack.users.search({ query: { filter: { near: { real_name: word } } } });
  // @ts-expect-error -- objects have no order
  await slack.users.search({ query: { sort: [{ profile: 'asc' }] } });
  // @ts-expect-error -- params.fields says which fields hits have
  await slack.users.search({ query }, { selectFields: ['id'] });
  // @ts-expect-error -- reactions have no copy
  void slack.reactions.search;
  // @ts-expect-error -- reactions have no copy
  await slack.execute('reactions', 'search', { query });
  // @ts-expect-error -- the library searches nothing
  void library.users.search;
}

export async function syncs(slack: Slack, { connectors, ...rest }: Patchbay): Promise<void> {
  void rest;
  same<Awaits<typeof slack.sync>, RequestedRun>();
  same<Awaits<typeof slack.sync.status>, SyncStatus>();
  for await (const each of slack.sync.watch({ signal: AbortSignal.abort(), runId: word }))
    same<typeof each, SyncStatus>();
  for await (const each of connectors.sync.watch(word)) same<typeof each, SyncStatus>();
  same<Awaits<typeof connectors.sync>, RequestedRun>();
  // @ts-expect-error -- of which connector?
  await connectors.sync.status();
}

export async function creating(patchbay: Patchbay): Promise<void> {
  const { connectors } = patchbay;
  const replication_config = { start_date: word, lookback_window: 1, join_channels: true };
  const given = { connector_type: 'chat-workspace', name: word, replication_config } as const;
  const created = await connectors.create({ ...given, credentials: { api_token: word } });
  same<typeof created, ConnectorInfo>();
  await connectors.create({
    ...given,
    credentials: { client_id: word, client_secret: word, access_token: word },
    verify: true,
  });
  // A later kind is for the service to check, an alias is as good as the name.
  await connectors.create({ connector_type: 'telepathy', name: word, credentials: { any: word } });
  const slack = { ...given, connector_type: 'slack' } as const;
  await connectors.create({ ...slack, credentials: { api_token: word } });
  // @ts-expect-error -- unknown
  await connectors.create({ ...slack, credentials: { any: word } });
  // @ts-expect-error -- credentials are required
  await connectors.create({ ...given });
  // @ts-expect-error -- of one method
  await connectors.create({ ...given, credentials: {} });
  // @ts-expect-error -- unknown
  await connectors.create({ ...given, credentials: { token: word } });
  await connectors.create({
    ...given,
    // @ts-expect-error -- not of two methods
    credentials: { api_token: word, client_id: word, client_secret: word, access_token: word },
  });
  // @ts-expect-error -- chat-workspace has no config
  await connectors.create({ ...given, credentials: { api_token: word }, config: { a: 1 } });
  // @ts-expect-error -- chat-workspace requires a replication config
  await connectors.create({
    connector_type: 'chat-workspace',
    name: word,
    credentials: { api_token: word },
  });
  await connectors.create({
    ...given,
    credentials: { api_token: word },
    // @ts-expect-error -- a number
    replication_config: { ...replication_config, lookback_window: '7' },
  });
  // @ts-expect-error -- the client's own external user, always
  await connectors.create({ ...given, credentials: { api_token: word }, external_user_id: word });
}

export async function creatingOtherKinds({ connectors }: Patchbay): Promise<void> {
  const tickets = { connector_type: 'support-ticketing', name: word } as const;
  const credentials = { access_token: word };
  await connectors.create({ ...tickets, credentials });
  await connectors.create({ ...tickets, credentials: { email: word, api_token: word } });
  await connectors.create({ ...tickets, credentials, config: { subdomain: word } });
  await connectors.create({ ...tickets, credentials, replication_config: null });
  // @ts-expect-error -- a text
  await connectors.create({ ...tickets, credentials, config: { subdomain: 7 } });
  // @ts-expect-error -- support-ticketing has no replication config
  await connectors.create({ ...tickets, credentials, replication_config: { start_date: word } });
  // @ts-expect-error -- all fields of a method
  await connectors.create({ ...tickets, credentials: { email: word } });
  const messages = { connector_type: 'customer-messaging', name: word, credentials } as const;
  await connectors.create(messages);
  await connectors.create({ ...messages, replication_config: { start_date: word } });
  await connectors.create({ ...messages, config: { region: 'eu' } });
  // @ts-expect-error -- no such region
  await connectors.create({ ...messages, config: { region: 'Mars' } });
}

export async function connecting({ connectors, connectSessions }: Patchbay): Promise<void> {
  const created = await connectSessions.create({ externalUserId: word });
  same<typeof created, CreatedConnectSession>();
  await connectSessions.create(
    { externalUserId: word, connectorTypes: ['slack', 'a-later-kind'], branding: { name: word } },
    { idempotencyKey: word, timeoutMs: 5 },
  );
  await connectSessions.create();
  // @ts-expect-error -- a list
  await connectSessions.create({ externalUserId: word, connectorTypes: 'slack' });
  // @ts-expect-error -- in the spelling of the client
  await connectSessions.create({ externalUserId: word, return_url: word });
  const confirmed = await connectSessions.confirm(word, {
    externalUserId: word,
    connectorId: word,
  });
  // @ts-expect-error -- what was the browser told?
  await connectSessions.confirm(word, { externalUserId: word });
  same<typeof confirmed, ConnectSession>();
  const listed = await connectSessions.list({ status: 'unconfirmed', limit: 5, timeoutMs: 5 });
  same<typeof listed, ConnectSessionPage>();
  // @ts-expect-error -- who is signed in?
  await connectSessions.confirm(word);
  // @ts-expect-error -- who is signed in?
  await connectSessions.confirm(word, {});
  const result = await openConnect(created.connectUrl, { poll: () => connectSessions.get(word) });
  same<typeof result, ConnectResult>();
  await openConnect(
    connectSessions.create({ externalUserId: word }).then((made) => made.connectUrl),
  );
  // @ts-expect-error -- its address
  await openConnect(created);
  // @ts-expect-error -- there is no such way
  await openConnect(word, { mode: 'iframe' });
  const consent = await connectors.initiateOAuth({ connector_type: 'slack', redirect_url: word });
  same<typeof consent, ConsentUrl>();
  await connectors.initiateOAuth({ connector_id: word, redirect_url: word, user_label: word });
  // @ts-expect-error -- what is not to be named stays
  await connectors.initiateOAuth({ connector_id: word, redirect_url: word, name: word });
  // @ts-expect-error -- of which kind?
  await connectors.initiateOAuth({ redirect_url: word });
  // @ts-expect-error -- and where to afterwards?
  await connectors.initiateOAuth({ connector_type: 'slack' });
  await connectors.initiateOAuth({
    connector_type: 'slack',
    redirect_url: word,
    // @ts-expect-error -- the client's own external user, always
    external_user_id: word,
  });
}
