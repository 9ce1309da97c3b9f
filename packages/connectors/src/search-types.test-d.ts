/**
 * Types of searches, inferred from definitions. Compiled, never run: what must not compile stands
 * under `@ts-expect-error`.
 */
import type { Kinds } from './kinds/index.ts';
import type {
  FreeForm,
  SearchFieldName,
  SearchFilter,
  SearchHit,
  SearchParams,
  SearchQuery,
  SearchRecord,
} from './vocabulary/index.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles where the types are the same, and only there. */
function same<_A, _B>(..._proof: Equal<_A, _B> extends true ? [] : [never]): void {
  // There is nothing to do: the types are the test.
}

type Users = Kinds['chat-workspace']['entities']['users'];
type Channels = Kinds['chat-workspace']['entities']['channels'];
type Chats = Kinds['support-chat']['entities']['chats'];
type Shortcuts = Kinds['support-chat']['entities']['shortcuts'];
type Bans = Kinds['support-chat']['entities']['bans'];
type Triggers = Kinds['support-chat']['entities']['triggers'];
type Contacts = Kinds['customer-messaging']['entities']['contacts'];
type Conversations = Kinds['customer-messaging']['entities']['conversations'];
type Tags = Kinds['support-ticketing']['entities']['tags'];

type Find<E extends Users | Channels | Triggers | Contacts | Conversations> = (
  filter: SearchFilter<E>,
) => void;

export function names(): void {
  same<
    SearchFieldName<Chats>,
    | 'id'
    | 'timestamp'
    | 'update_timestamp'
    | 'department_id'
    | 'department_name'
    | 'duration'
    | 'rating'
    | 'missed'
    | 'agent_ids'
  >();
  // What a list of exceptions leaves out is not searchable.
  same<Extract<SearchFieldName<Channels>, 'properties' | 'is_thread_only'>, never>();
  same<Extract<SearchFieldName<Users>, 'has_2fa' | 'id'>, 'has_2fa' | 'id'>();
  same<Extract<SearchFieldName<Tags>, 'name' | 'nme'>, 'name'>();
  same<SearchFieldName<Bans>, never>();
}

export function data(
  user: SearchRecord<Users>,
  shortcut: SearchRecord<Shortcuts>,
  contact: SearchRecord<Contacts>,
  conversation: SearchRecord<Conversations>,
  hit: SearchHit<Users>,
): void {
  same<(typeof user)['id'], string | undefined>();
  same<(typeof user)['name'], string | null>();
  same<(typeof user)['has_2fa'], boolean | null>();
  same<(typeof user)['tz_offset'], number | null>();
  same<NonNullable<(typeof user)['profile']>['email'], string | null | undefined>();
  same<(typeof contact)['custom_attributes'], FreeForm | null>();
  // Where the searchable type differs from the record's, it is the searchable one.
  same<(typeof shortcut)['id'], number | undefined>();
  same<(typeof shortcut)['tags'], readonly string[] | null>();
  same<(typeof contact)['android_last_seen_at'], string | null>();
  same<(typeof conversation)['team_assignee_id'], number | null>();
  same<(typeof hit)['score'], number>();
  same<(typeof hit)['data'], SearchRecord<Users>>();
  // @ts-expect-error -- it may be null
  void user.name.length;
  // @ts-expect-error -- no searchable field
  void user.nme;
  // @ts-expect-error -- hits are read-only
  user.name = 'x';
}

export function fields(users: Find<Users>, contacts: Find<Contacts>): void {
  users({});
  users({ eq: { name: 'ada', deleted: false, tz_offset: 0, has_2fa: null } });
  users({ eq: { name: undefined }, neq: undefined });
  contacts({ eq: { custom_attributes: { plan: 'pro' } } });
  contacts({ eq: { 'custom_attributes.plan': 'pro', 'custom_attributes.a.b': { c: [1] } } });
  // @ts-expect-error -- unknown field
  users({ eq: { nme: 'ada' } });
  // @ts-expect-error -- a record field that cannot be searched
  users({ eq: { is_deleted: true } });
  // @ts-expect-error -- unknown beside a known one
  users({ eq: { name: 'ada', nme: 'ada' } });
  // @ts-expect-error -- a string against an integer
  users({ eq: { tz_offset: '0' } });
  // @ts-expect-error -- a number against a string
  users({ neq: { name: 7 } });
  // @ts-expect-error -- a string against a boolean
  users({ eq: { deleted: 'false' } });
  // @ts-expect-error -- only object fields have paths
  users({ eq: { 'name.first': 'ada' } });
  // @ts-expect-error -- a path below an unknown field
  contacts({ eq: { 'custom.plan': 'pro' } });
  // @ts-expect-error -- searched as a string, an integer in the record
  contacts({ eq: { android_last_seen_at: 7 } });
}

export function operators(
  users: Find<Users>,
  channels: Find<Channels>,
  triggers: Find<Triggers>,
): void {
  users({ gt: { updated: 7, name: 'm' }, lte: { updated: 9 }, gte: {}, lt: { tz_offset: 0 } });
  users({ gt: { 'profile.size': 7 }, lt: { 'profile.name': 'm' } });
  users({ in: { name: ['a', null], updated: [1, 2], 'profile.x': [1, 'a', {}] } });
  users({ like: { name: 'a%', profile: '%', deleted: 'true', updated: '17%', 'profile.x': '' } });
  users({ keyword: { name: 'ada' }, fuzzy: { profile: 'ada lovelace' } });
  channels({ contains: { previous_names: 'general' } });
  channels({ contains: { shared_team_ids: null }, like: { previous_names: 'g%' } });
  users({ eq: [{ path: ['profile', 'a.b'], value: 1 }], like: [{ path: 'name', value: 'a%' }] });
  channels({ any: [{ path: ['topic', 'x'], value: { gt: [{ path: ['a.b'], value: 1 }] } }] });
  // @ts-expect-error -- a path below an unknown field
  users({ eq: [{ path: ['profle', 'a.b'], value: 1 }] });
  // @ts-expect-error -- only object fields have paths
  users({ eq: [{ path: ['name', 'first'], value: 1 }] });
  // @ts-expect-error -- a pattern is a string, in a list too
  users({ like: [{ path: ['name'], value: 1 }] });
  // @ts-expect-error -- without a value
  users({ eq: [{ path: ['name'] }] });
  // @ts-expect-error -- there is no such operator
  users({ startsWith: { name: 'a' } });
  // @ts-expect-error -- an object field has no order
  users({ gt: { profile: 7 } });
  // @ts-expect-error -- a boolean field has no order
  users({ lt: { deleted: true } });
  // @ts-expect-error -- an array field has no order
  channels({ gte: { previous_names: 'a' } });
  // @ts-expect-error -- a string against an integer
  users({ gt: { updated: '7' } });
  // @ts-expect-error -- nothing is greater than null
  users({ gt: { updated: null } });
  // @ts-expect-error -- an object has no order, below an object field neither
  users({ gt: { 'profile.size': {} } });
  // @ts-expect-error -- not a list
  users({ in: { name: 'a' } });
  // @ts-expect-error -- a string among integers
  users({ in: { updated: [1, '2'] } });
  // @ts-expect-error -- a pattern is a string
  users({ like: { updated: 17 } });
  // @ts-expect-error -- words are a string
  users({ fuzzy: { name: ['ada'] } });
  // @ts-expect-error -- not an array field
  users({ contains: { name: 'a' } });
  // @ts-expect-error -- it has no array field
  triggers({ contains: { name: 'a' } });
  // @ts-expect-error -- elements are compared with scalars
  channels({ contains: { previous_names: ['general'] } });
}

export function combinations(users: Find<Users>, conversations: Find<Conversations>): void {
  users({ and: [{ eq: { name: 'a' } }, { or: [{}, { not: { like: { name: 'b' } } }] }] });
  conversations({ any: { customers: { eq: { id: 7, 'a.b': null }, not: { gt: { n: 1 } } } } });
  conversations({ any: { 'tags.data': { or: [{ eq: { name: 'vip' } }], any: { x: {} } } } });
  // @ts-expect-error -- unknown, however deep
  users({ and: [{ or: [{ not: { eq: { nme: 'a' } } }] }] });
  // @ts-expect-error -- not a list
  users({ or: { eq: { name: 'a' } } });
  // @ts-expect-error -- one filter
  users({ not: [{ eq: { name: 'a' } }] });
  // @ts-expect-error -- not an array field
  conversations({ any: { tags: {} } });
  // @ts-expect-error -- there is no such operator, in elements neither
  conversations({ any: { customers: { equals: { id: 7 } } } });
  // @ts-expect-error -- a pattern is a string, of elements too
  conversations({ any: { customers: { like: { id: 7 } } } });
}

export function params(
  users: (params: SearchParams<Users>) => void,
  contacts: (query: SearchQuery<Contacts>) => void,
  bans: (params: SearchParams<Bans>) => void,
): void {
  users({ query: {} });
  users({ query: { filter: null, sort: null }, limit: null, cursor: null, fields: null });
  users({ query: {}, limit: 20, cursor: 'abc', fields: [] });
  users({
    query: {},
    count: true,
    facets: ['is_bot', 'profile.title', ['profile', 'a.b'], ['tz']],
  });
  users({ query: {}, count: null, facets: null });
  // @ts-expect-error -- a flag
  users({ query: {}, count: 1 });
  // @ts-expect-error -- objects have no values to count
  users({ query: {}, facets: ['profile'] });
  // @ts-expect-error -- nor have they as segments
  users({ query: {}, facets: [['profile']] });
  // @ts-expect-error -- unknown field
  users({ query: {}, facets: ['nme'] });
  users({ query: {}, fields: ['name', 'profile', 'profile.email', ['profile', 'a.b'], ['id']] });
  contacts({ sort: [{ name: 'asc' }, { updated_at: 'desc' }, { field: 'role', order: 'asc' }] });
  // @ts-expect-error -- query is required
  users({});
  // @ts-expect-error -- conditions stand inside filter
  users({ query: { eq: { name: 'a' } } });
  // @ts-expect-error -- unknown
  users({ query: {}, offset: 20 });
  // @ts-expect-error -- a number
  users({ query: {}, limit: '20' });
  // @ts-expect-error -- unknown field
  users({ query: {}, fields: ['nme'] });
  // @ts-expect-error -- only object fields have paths
  users({ query: {}, fields: ['name.first'] });
  // @ts-expect-error -- only object fields have paths
  users({ query: {}, fields: [['name', 'first']] });
  // @ts-expect-error -- there is no such direction
  contacts({ sort: [{ name: 'up' }] });
  // @ts-expect-error -- an object field has no order
  contacts({ sort: [{ custom_attributes: 'asc' }] });
  // @ts-expect-error -- nor has a path
  contacts({ sort: [{ 'custom_attributes.plan': 'asc' }] });
  // @ts-expect-error -- one field an entry
  contacts({ sort: [{ name: 'asc', email: 'asc' }] });
  // @ts-expect-error -- which way?
  contacts({ sort: [{ field: 'name' }] });
  // @ts-expect-error -- it has no searchable fields
  bans({ query: { filter: { eq: { id: 7 } } } });
}
