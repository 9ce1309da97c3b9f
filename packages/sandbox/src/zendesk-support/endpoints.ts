import type { SupportAccount } from './account.ts';
import type { SortKey, ZendeskRecord } from './collection.ts';
import type { Endpoint, EndpointCall, ListEndpoint, RecordEndpoint } from './endpoint.ts';
import type { Filter, Sorting } from './order.ts';
import type { Parameters } from './parameters.ts';
import { seededArticleAttachments } from './seeded-articles.ts';
import {
  attachmentRecord,
  seededAudits,
  seededComments,
  ticketFile,
} from './seeded-conversations.ts';
import { positionOfExternalId, roleAt } from './seeded-people.ts';
import { seededTicketFields } from './seeded-settings.ts';
import { isOfAiAgent, ratingAt } from './seeded-tickets.ts';
import { invalidAttribute, invalidPaging, recordNotFound } from './support-error.ts';
import type { SupportEntity } from './world.ts';

const BY_ID: Sorting = { name: 'id', isDescending: false };
const ORDERS = ['asc', 'desc'] as const;
const TICKET_SORTS = [
  'assignee',
  'assignee.name',
  'created_at',
  'group',
  'id',
  'locale',
  'requester',
  'requester.name',
  'status',
  'subject',
  'updated_at',
] as const;
const RULE_SORTS = ['alphabetical', 'created_at', 'updated_at', 'position'] as const;
const USAGE_SORTS = [...RULE_SORTS, 'usage_1h', 'usage_24h', 'usage_7d', 'usage_30d'] as const;
const ARTICLE_SORTS = ['position', 'title', 'created_at', 'updated_at', 'edited_at'] as const;
const SUPPORT_TYPES = ['all', 'agent', 'ai_agent'] as const;
const SCORES = [
  'offered',
  'unoffered',
  'received',
  'received_with_comment',
  'received_without_comment',
  'good',
  'good_with_comment',
  'good_without_comment',
  'bad',
  'bad_with_comment',
  'bad_without_comment',
] as const;

/** Every endpoint that is simulated, by the template of its path. */
export const SUPPORT_ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/tickets', list('tickets', { sorting: ticketSorting, filter: byExternalId })],
  ['/tickets/{ticket_id}', record('tickets', 'ticket')],
  [
    '/tickets/{ticket_id}/comments',
    list('comments', { collection: commentsOf, sorting: commentSorting }),
  ],
  ['/tickets/{ticket_id}/audits', list('audits', { collection: auditsOf })],
  ['/tickets/{ticket_id}/metrics', { kind: 'record', records: 'ticket_metric', find: findMetric }],
  [
    '/incremental/tickets',
    { kind: 'export', records: 'tickets', style: 'time', filter: bySupportType },
  ],
  [
    '/incremental/tickets/cursor',
    { kind: 'export', records: 'tickets', style: 'cursor', filter: bySupportType },
  ],
  ['/incremental/users', { kind: 'export', records: 'users', style: 'time' }],
  ['/incremental/users/cursor', { kind: 'export', records: 'users', style: 'cursor' }],
  ['/incremental/organizations', { kind: 'export', records: 'organizations', style: 'time' }],
  ['/users', list('users', { filter: (call) => byExternalId(call) ?? byRole(call) })],
  ['/users/me', { kind: 'record', records: 'user', find: findCaller }],
  ['/users/{user_id}', record('users', 'user')],
  ['/organizations', list('organizations')],
  ['/organizations/{organization_id}', record('organizations', 'organization')],
  ['/groups', list('groups', { filter: withoutDeleted })],
  ['/groups/{group_id}', record('groups', 'group')],
  ['/attachments/{attachment_id}', { kind: 'record', records: 'attachment', find: findAttachment }],
  ['/ticket_metrics', list('ticket_metrics', { sorting: newestFirst })],
  [
    '/ticket_fields',
    list('ticket_fields', {
      style: 'cursor or everything',
      sorting: (_, isCursor) => (isCursor ? BY_ID : { name: 'position', isDescending: false }),
      collection: ticketFieldsOf,
    }),
  ],
  ['/ticket_fields/{ticket_field_id}', record('ticket_fields', 'ticket_field')],
  ['/brands', list('brands')],
  ['/brands/{brand_id}', record('brands', 'brand')],
  ['/views', list('views', { sorting: ruleSorting(RULE_SORTS), filter: byFields('views') })],
  ['/views/{view_id}', record('views', 'view')],
  ['/macros', list('macros', { sorting: macroSorting, filter: byFields('macros') })],
  ['/macros/{macro_id}', record('macros', 'macro')],
  [
    '/triggers',
    list('triggers', { sorting: ruleSorting(USAGE_SORTS), filter: byFields('triggers') }),
  ],
  ['/triggers/{trigger_id}', record('triggers', 'trigger')],
  [
    '/automations',
    list('automations', { sorting: ruleSorting(USAGE_SORTS), filter: byFields('automations') }),
  ],
  ['/automations/{automation_id}', record('automations', 'automation')],
  ['/tags', list('tags')],
  ['/satisfaction_ratings', list('satisfaction_ratings', { filter: byScoreAndTime })],
  [
    '/satisfaction_ratings/{satisfaction_rating_id}',
    record('satisfaction_ratings', 'satisfaction_rating'),
  ],
  ['/group_memberships', list('group_memberships')],
  ['/organization_memberships', list('organization_memberships')],
  ['/slas/policies', list('sla_policies', { style: 'offset' })],
  ['/slas/policies/{sla_policy_id}', record('sla_policies', 'sla_policy')],
  ['/ticket_forms', list('ticket_forms', { style: 'offset', filter: byFields('ticket_forms') })],
  ['/ticket_forms/{ticket_form_id}', record('ticket_forms', 'ticket_form')],
  [
    '/help_center/articles',
    list('articles', { isHelpCenter: true, defaultPerPage: 30, sorting: articleSorting }),
  ],
  ['/help_center/articles/{id}', record('articles', 'article')],
  [
    '/help_center/articles/{article_id}/attachments',
    list('article_attachments', {
      isHelpCenter: true,
      defaultPerPage: 30,
      collection: articleAttachmentsOf,
    }),
  ],
  [
    '/help_center/articles/{article_id}/attachments/{attachment_id}',
    { kind: 'record', records: 'article_attachment', find: findArticleAttachment },
  ],
]);

/** The fields of answers that hold records, one or many. */
export const SUPPORT_RECORD_FIELDS: ReadonlySet<string> = new Set(
  [...SUPPORT_ENDPOINTS.values()].map(({ records }) => records),
);

type ListOptions = Partial<Omit<ListEndpoint, 'kind' | 'records'>>;

/** A list endpoint; `records` also names the entity unless options give a collection. */
function list(records: string, options: ListOptions = {}): ListEndpoint {
  const collection =
    options.collection ??
    ((call: EndpointCall) => ({
      key: records,
      // Proven: every list without a collection of its own is named for its entity.
      collection: call.account.collection(records as SupportEntity),
    }));
  return {
    kind: 'list',
    style: 'cursor and offset',
    defaultPerPage: 100,
    isHelpCenter: false,
    sorting: () => BY_ID,
    ...options,
    records,
    collection,
  };
}

function record(entity: SupportEntity, records: string): RecordEndpoint {
  return {
    kind: 'record',
    records,
    find: ({ account, ids }) => {
      const collection = account.collection(entity);
      const position = collection.positionOf(ids[0] ?? 0);
      return position === undefined ? undefined : collection.recordAt(position);
    },
  };
}

function commentsOf({ account, parameters, ids }: EndpointCall) {
  const ticket = ticketOf(account, ids);
  const withInline = parameters.flag('include_inline_images') ?? false;
  const key = `comments ${String(ticket)} ${String(withInline)}`;
  return {
    key,
    collection: account.nested(key, () => seededComments(account.world, ticket, withInline)),
  };
}

function auditsOf({ account, ids }: EndpointCall) {
  const ticket = ticketOf(account, ids);
  const key = `audits ${String(ticket)}`;
  return { key, collection: account.nested(key, () => seededAudits(account.world, ticket)) };
}

function ticketFieldsOf({ account, parameters }: EndpointCall) {
  const locale = parameters.text('locale');
  if (locale === undefined) {
    return { key: 'ticket_fields', collection: account.collection('ticket_fields') };
  }
  const key = `ticket_fields ${locale}`;
  return { key, collection: account.nested(key, () => seededTicketFields(account.world, locale)) };
}

function articleAttachmentsOf({ account, ids }: EndpointCall) {
  const article = account.collection('articles').positionOf(ids[0] ?? 0);
  if (article === undefined) throw recordNotFound();
  const key = `article_attachments ${String(article)}`;
  return {
    key,
    collection: account.nested(key, () => seededArticleAttachments(account.world, article)),
  };
}

function findArticleAttachment(call: EndpointCall): ZendeskRecord | undefined {
  const { collection } = articleAttachmentsOf(call);
  const position = collection.positionOf(call.ids[1] ?? 0);
  return position === undefined ? undefined : collection.recordAt(position);
}

function findAttachment({ account: { world }, ids }: EndpointCall): ZendeskRecord | undefined {
  const [id = 0] = ids;
  const file = ticketFile(world, id);
  return file === undefined ? undefined : attachmentRecord(world, id, file);
}

/** @see https://developer.zendesk.com/api-reference/ticketing/users/users/#show-self */
function findCaller({ account, userId }: EndpointCall): ZendeskRecord {
  const users = account.collection('users');
  return users.recordAt(userId === undefined ? 0 : (users.positionOf(userId) ?? 0));
}

function findMetric({ account, ids }: EndpointCall): ZendeskRecord {
  return account.collection('ticket_metrics').recordAt(ticketOf(account, ids));
}

function ticketOf(account: SupportAccount, ids: readonly number[]): number {
  const ticket = account.collection('tickets').positionOf(ids[0] ?? 0);
  if (ticket === undefined) throw recordNotFound();
  return ticket;
}

/** Cursor pages of tickets sort by three fields only and ignore the sorting of offset pages. */
function ticketSorting(parameters: Parameters, isCursor: boolean): Sorting {
  if (!isCursor) {
    const name = parameters.oneOf('sort_by', TICKET_SORTS) ?? 'id';
    return { name: name === 'locale' ? 'id' : name, isDescending: isDescending(parameters) };
  }
  return cursorSorting(parameters, ['updated_at', 'id', 'status']) ?? BY_ID;
}

/** Positions of comments are in the order of time, so they are sorted by position. */
function commentSorting(parameters: Parameters, isCursor: boolean): Sorting {
  if (!isCursor) return { name: 'id', isDescending: isDescending(parameters) };
  const sorting = cursorSorting(parameters, ['created_at']);
  return { name: 'id', isDescending: sorting?.isDescending ?? false };
}

function newestFirst(): Sorting {
  return { name: 'id', isDescending: true };
}

function ruleSorting(names: readonly string[]) {
  return (parameters: Parameters, isCursor: boolean): Sorting => {
    if (isCursor) return cursorSorting(parameters, RULE_SORTS) ?? BY_ID;
    const name = parameters.oneOf('sort_by', names) ?? 'position';
    // By default titles and positions ascend, while times and counts of uses descend.
    const isForward = name === 'alphabetical' || name === 'position';
    return { name, isDescending: isDescending(parameters, !isForward) };
  };
}

function macroSorting(parameters: Parameters, isCursor: boolean): Sorting {
  if (isCursor) return BY_ID;
  const name = parameters.oneOf('sort_by', USAGE_SORTS) ?? 'alphabetical';
  const isForward = name === 'alphabetical' || name === 'position';
  return { name, isDescending: isDescending(parameters, !isForward) };
}

function articleSorting(parameters: Parameters): Sorting {
  const name = parameters.oneOf('sort_by', ARTICLE_SORTS) ?? 'position';
  return { name, isDescending: isDescending(parameters) };
}

function isDescending(parameters: Parameters, byDefault = false): boolean {
  const order = parameters.oneOf('sort_order', ORDERS);
  return order === undefined ? byDefault : order === 'desc';
}

function cursorSorting(parameters: Parameters, names: readonly string[]): Sorting | undefined {
  const text = parameters.text('sort');
  if (text === undefined) return undefined;
  const isBackward = text.startsWith('-');
  const name = isBackward ? text.slice(1) : text;
  if (!names.includes(name)) {
    throw invalidPaging('InvalidPaginationParameter', `sort is not valid: ${text}`);
  }
  return { name, isDescending: isBackward };
}

function byExternalId({ parameters }: EndpointCall): Filter | undefined {
  const externalId = parameters.text('external_id');
  if (externalId === undefined) return undefined;
  const wanted = positionOfExternalId(externalId);
  return { key: `external_id ${externalId}`, passes: (position) => position === wanted };
}

/** @see https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/ */
function bySupportType({
  account,
  parameters,
}: Pick<EndpointCall, 'account' | 'parameters'>): Filter | undefined {
  const scope = parameters.oneOf('support_type_scope', SUPPORT_TYPES) ?? 'agent';
  if (scope === 'all') return undefined;
  return {
    key: `support_type_scope ${scope}`,
    passes: (position) => isOfAiAgent(account.world, position) === (scope === 'ai_agent'),
  };
}

function byRole({ account, parameters }: EndpointCall): Filter | undefined {
  const roles = ['end-user', 'agent', 'admin'] as const;
  const one = parameters.oneOf('role', roles);
  const many = parameters.all('role[]');
  const wanted = one === undefined ? many : [one];
  if (wanted.length === 0) return undefined;
  const unknown = wanted.find((role) => !roles.some((known) => known === role));
  if (unknown !== undefined)
    throw invalidAttribute('role[]', `must be one of: ${roles.join(', ')}`);
  return {
    key: `role ${wanted.join(' ')}`,
    passes: (position) => wanted.includes(roleAt(account.world, position)),
  };
}

function withoutDeleted({ account, parameters }: EndpointCall): Filter | undefined {
  if (parameters.flag('exclude_deleted') !== true) return undefined;
  const groups = account.collection('groups');
  return {
    key: 'exclude_deleted',
    passes: (position) => groups.recordAt(position)['deleted'] === false,
  };
}

/** Filters of the short lists, which are small enough to look into every record. */
function byFields(entity: SupportEntity) {
  return ({ account, parameters }: EndpointCall): Filter | undefined => {
    const collection = account.collection(entity);
    const checks: ((record: ZendeskRecord) => boolean)[] = [];
    for (const name of ['active', 'end_user_visible']) {
      const wanted = parameters.flag(name);
      if (wanted !== undefined) checks.push((found) => !(name in found) || found[name] === wanted);
    }
    const category = parameters.text('category_id');
    if (category !== undefined) checks.push(({ category_id }) => category_id === category);
    const macroCategory = parameters.text('category');
    if (macroCategory !== undefined) {
      checks.push(({ title }) => String(title).startsWith(`${macroCategory}::`));
    }
    const group = parameters.positive('group_id');
    if (group !== undefined) checks.push((found) => restrictionOf(found)?.['id'] === group);
    const access = parameters.oneOf('access', ['personal', 'agents', 'shared', 'account']);
    if (access !== undefined) checks.push((found) => accessOf(found) === access);
    if (checks.length === 0) return undefined;
    return {
      key: JSON.stringify([category, macroCategory, group, access, parameters.toObject()]),
      passes: (position) => {
        const found = collection.recordAt(position);
        return checks.every((check) => check(found));
      },
    };
  };
}

function accessOf(found: ZendeskRecord): string {
  switch (restrictionOf(found)?.['type']) {
    case 'User':
      return 'personal';
    case 'Group':
      return 'shared';
    default:
      return 'account';
  }
}

function restrictionOf(found: ZendeskRecord): ZendeskRecord | undefined {
  const restriction: unknown = found['restriction'];
  return typeof restriction === 'object' && restriction !== null
    ? Object.fromEntries(Object.entries(restriction))
    : undefined;
}

function byScoreAndTime({ account, parameters }: EndpointCall): Filter | undefined {
  const score = parameters.oneOf('score', SCORES);
  const from = parameters.positive('start_time');
  const to = parameters.positive('end_time');
  if (score === undefined && from === undefined && to === undefined) return undefined;
  return {
    key: `score ${String(score)} ${String(from)} ${String(to)}`,
    passes: (position) => {
      const at = Number(
        account.collection('satisfaction_ratings').sortKeyAt('updated_at', position),
      );
      const isInTime = at >= (from ?? 0) && at <= (to ?? Number.MAX_SAFE_INTEGER);
      return isInTime && (score === undefined || hasScore(position, score));
    },
  };
}

function hasScore(position: number, wanted: SortKey): boolean {
  const { score, comment } = ratingAt(position);
  const [what, rest = ''] = String(wanted).split(/_(.*)/);
  const isScore = what === 'received' ? score !== 'offered' : what === score;
  if (!isScore || rest === '') return isScore;
  return (rest === 'with_comment') === (comment !== null);
}
