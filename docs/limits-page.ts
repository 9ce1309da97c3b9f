/** Makes docs/limits.md of the constants that enforce what it says. */
import { describeKind } from '@patchbay/connectors';
import {
  allKinds,
  DEFAULT_TIMEOUT_MS,
  isJsonObject,
  MAX_SEGMENTS,
  SEARCH_LIMITS,
} from '@patchbay/connectors/engine';
import { QUICK_SEARCH_MS } from '@patchbay/store';
import {
  APPLICATION_SHARE,
  USER_SHARE,
  HEAP_SHARES,
  LAPTOP_LIMITS,
  LIMIT_VARIABLES,
  SERVER_LIMITS,
  type AdmissionLimits,
} from '../packages/server/src/admission/limits.ts';
import {
  DEFAULT_QUOTAS,
  QUOTA_VARIABLES,
  type QuotaSetting,
} from '../packages/server/src/admission/quotas.ts';
import { isOfOneApplication } from '../packages/server/src/access/reach.ts';
import {
  MORE_APPLICATION_TOKENS,
  MOST_REVOKED_OF_APPLICATION,
} from '../packages/server/src/access/revoked-tokens.ts';
import {
  MAX_EMPTY_PAGES,
  MAX_FRUITLESS_PAGES,
} from '../packages/connectors/src/execution/fruitless-pages.ts';
import { MAX_CODE } from '../packages/connectors/src/execution/judge.ts';
import {
  MAX_ITEM_VALUES,
  MAX_PAGE_RECORDS,
} from '../packages/connectors/src/execution/read-answer.ts';
import {
  MAX_ANSWER_VALUES,
  MAX_BODY_BYTES,
} from '../packages/connectors/src/execution/transport.ts';
import { AWAY_AFTER_MS } from '../packages/server/src/admission/fair-turns.ts';
import { FEWEST_IN_ROUND, LONG_ROUND_MS } from '../packages/server/src/admission/headroom.ts';
import { QUICK_TIME_MS } from '../packages/server/src/admission/quick-time.ts';
import { CALLBACK_PATH, START_PATH } from '../packages/server/src/consent/consents.ts';
import { MAX_ATTEMPTS } from '../packages/server/src/connect-sessions/page-sessions.ts';
import { MAX_CONSOLE_SESSIONS } from '../packages/server/src/console/console-sessions.ts';
import { applicationRoutes } from '../packages/server/src/http/application-routes.ts';
import { connectSessionRoutes } from '../packages/server/src/http/connect-session-routes.ts';
import { consoleSessionRoutes } from '../packages/server/src/http/console-session-routes.ts';
import { consentPageRoutes } from '../packages/server/src/http/consent-page-routes.ts';
import { connectorRoutes } from '../packages/server/src/http/connector-routes.ts';
import { deletionRoutes } from '../packages/server/src/http/deletion-routes.ts';
import { MAX_TIMEOUT_MS } from '../packages/server/src/http/execute-input.ts';
import { executeRoutes } from '../packages/server/src/http/execute-routes.ts';
import { MAX_INLINE_BYTES } from '../packages/server/src/http/file-answer.ts';
import { DEFAULT_HTTP_LIMITS } from '../packages/server/src/http/http-server.ts';
import { APPLICATION_PARAMETER } from '../packages/server/src/http/in-place-of-application.ts';
import {
  BYTES_A_PIECE,
  PIECES_OF_STRANGER,
  PIECES_WITH_TOKEN,
  SMALL_BYTES,
} from '../packages/server/src/request-in-pieces.ts';
import {
  SMALL_PIECES_AT_LEAST,
  SMALL_PIECES_OF_ROUND,
} from '../packages/server/src/small-pieces.ts';
import {
  LARGE_BYTES,
  MAX_DEPTH,
  MAX_VALUES,
  MAX_VALUES_OF_STRANGER,
} from '../packages/server/src/http/json-body.ts';
import { MAX_VALUES_OF_MESSAGE } from '../packages/server/src/mcp/message-size.ts';
import { keyRoutes } from '../packages/server/src/http/key-routes.ts';
import { kindRoutes } from '../packages/server/src/http/kind-routes.ts';
import { mcpRoutes } from '../packages/server/src/http/mcp-routes.ts';
import { oauthRoutes } from '../packages/server/src/http/oauth-routes.ts';
import { pageSessionRoutes } from '../packages/server/src/http/page-session-routes.ts';
import { MOST_AHEAD } from '../packages/server/src/pipeline.ts';
import {
  HEAP_OF_LARGE_PAGE,
  LARGE_PAGE_BYTES,
  MOST_LARGE_PAGES,
} from '../packages/server/src/replication/large-pages.ts';
import { MAX_PROBLEM_TEXT } from '../packages/server/src/http/problem.ts';
import { requestSchemas } from '../packages/server/src/http/request-schemas.ts';
import type { Route } from '../packages/server/src/http/route.ts';
import { statsRoutes } from '../packages/server/src/http/stats-routes.ts';
import { syncRoutes } from '../packages/server/src/http/sync-routes.ts';
import { systemRoutes } from '../packages/server/src/http/system-routes.ts';
import { tokenRoutes } from '../packages/server/src/http/token-routes.ts';
import { MAX_EXTERNAL_USER } from '../packages/server/src/operations/input.ts';
import { MAX_CURSOR_LENGTH } from '../packages/server/src/operations/search-cursor.ts';
import { executeTool } from '../packages/tools/src/tools/execute.ts';
import { describeTool } from '../packages/tools/src/tools/describe.ts';
import { listConnectors } from '../packages/tools/src/tools/list-connectors.ts';
import { searchTool } from '../packages/tools/src/tools/search.ts';
import { syncStatus } from '../packages/tools/src/tools/sync-status.ts';

type Json = Readonly<Record<string, unknown>>;
type Row = readonly string[];

const MIB = 1024 * 1024;

/** The page, as Markdown. */
export function renderLimitsPage(): string {
  return `${[
    '# Limits',
    'What a client can send, ask for and leave unread, and what happens beyond it. `npm run docs` makes this page of the constants that enforce it; what the [wire contract](wire.md#limits) promises of them is there. Where a member has no bound of its own, that of the whole request holds.',
    '## Any request',
    table(['What', 'Bound', 'Beyond it'], requestRows()),
    '## What is under way',
    'At once, in each process. A caller is an application, or one of its external users. Where two bounds are told, the second one is that of the embedded database. Waiting helps: each refusal has `Retry-After`.',
    table(['What', 'Bound', 'Setting', 'Beyond it'], underWayRows()),
    '## How many, how often',
    table(['What', 'Bound', 'Setting', 'Beyond it'], quotaRows()),
    '## Members, route by route',
    'Bodies, queries and headers. Members that are not listed are refused (`invalid_request`), apart from those that the wire contract [ignores](wire.md#bodies). Other paths of a route have the same bounds.',
    table(['Route', 'Member', 'Bound', 'Beyond it'], routes().flatMap(routeRows)),
    '## Params',
    'Of `execute`, where they have a bound of their own; beyond it: `invalid_params`, but a `limit` of a list above its range is taken for the greatest. Other integers are within ±(2^53 − 1). Other texts, arrays and objects go to the upstream as they are, within the bounds of the body; what is too long for the upstream is its answer (`upstream_rejected`).',
    table(['Kind', 'Param', 'Bound', 'Of'], paramRows()),
    '## Search',
    'What these mean is in [search](search.md#the-exact-rules).',
    table(['What', 'Bound', 'Beyond it'], searchRows()),
    '## Tools',
    'Arguments at `/mcp`, besides the bounds of the operations behind them.',
    table(['Tool', 'Argument', 'Bound'], toolRows()),
    '## Answers',
    table(['What', 'Bound', 'Beyond it'], answerRows()),
  ].join('\n\n')}\n`;
}

function requestRows(): readonly Row[] {
  const { maxBodyBytes, maxHeaderBytes, headersTimeoutMs, requestTimeoutMs } = DEFAULT_HTTP_LIMITS;
  return [
    ['body', bytes(maxBodyBytes), code('body_too_large')],
    [
      'pieces (chunks, packets) of a body',
      `${count(PIECES_WITH_TOKEN)}, without a token ${count(PIECES_OF_STRANGER)}, and one more for each ${BYTES_A_PIECE} bytes`,
      'the connection is closed',
    ],
    [
      `small pieces (under ${bytes(SMALL_BYTES)}) of all bodies that arrive at once, in one round of the event loop`,
      count(SMALL_PIECES_OF_ROUND),
      `the connections of bodies with more than ${SMALL_PIECES_AT_LEAST} of them are closed`,
    ],
    ['depth of a body', `${MAX_DEPTH} levels`, code('malformed_json')],
    [
      'members and elements of a body, at every depth',
      `${count(MAX_VALUES)}, without a token ${count(MAX_VALUES_OF_STRANGER)}`,
      code('body_too_large'),
    ],
    [
      'the same of a message at `/mcp`, besides the arguments of a tool',
      count(MAX_VALUES_OF_MESSAGE),
      'an error of the protocol (400)',
    ],
    ['request line and headers', bytes(maxHeaderBytes), code('headers_too_large')],
    ['arrival of the headers', seconds(headersTimeoutMs), code('request_timeout')],
    ['arrival of the whole', seconds(requestTimeoutMs), code('request_timeout')],
    [
      'deadline of a call',
      `${seconds(DEFAULT_TIMEOUT_MS)}, or \`Patchbay-Timeout-Ms\` up to ${seconds(MAX_TIMEOUT_MS)}`,
      '`upstream_timeout`, `write_outcome_unknown`',
    ],
  ];
}

function underWayRows(): readonly Row[] {
  const { requestTimeoutMs, writeIdleTimeoutMs } = DEFAULT_HTTP_LIMITS;
  const large = `large answers (over ${bytes(SERVER_LIMITS.largeAnswerBytes)})`;
  const refused = code('rate_limited');
  const closed = 'the connection is closed';
  const waits = 'they wait for their turn';
  const waitsButAway = `${waits}; what has waited for an upstream for ${AWAY_AFTER_MS} ms is none of them`;
  return [
    [
      'requests that a connection sends ahead, while one is answered',
      count(MOST_AHEAD),
      '–',
      closed,
    ],
    limitRow('calls', 'callsAtOnce', waits),
    limitRow('calls of an application and its external users', 'callsOfApplication', waits),
    limitRow('calls with the tokens of an external user', 'callsOfUser', waits),
    limitRow(
      'calls with the token of an application while the process has no time left',
      'callsOfApplicationWhenBusy',
      waitsButAway,
    ),
    limitRow(
      'calls of an external user while the process has no time left',
      'callsOfUserWhenBusy',
      waitsButAway,
    ),
    [
      'calls that begin in one round of the event loop',
      `so many that rounds take ${LONG_ROUND_MS} ms, ${FEWEST_IN_ROUND} at least`,
      '–',
      waits,
    ],
    limitRow(
      `calls whose bodies are over ${bytes(LARGE_BYTES)}, or in chunks`,
      'largeBodies',
      `${waits}, for ${seconds(requestTimeoutMs / 2)}: their bodies count as being sent meanwhile`,
    ),
    limitRow('of those, an application’s and its users’', 'largeBodiesOfApplication', waits),
    limitRow('of those, an external user’s', 'largeBodiesOfUser', waits),
    limitRow('calls of a caller that wait', 'callsWaitingOfCaller', refused),
    limitRow(
      'calls without a token that ask the database; of an address (of IPv6: a network of 64 bits) half of them',
      'strangersAtOnce',
      waits,
    ),
    limitRow('of those that ask an upstream, too; likewise', 'strangersAtUpstreams', waits),
    limitRow('such calls of an address that wait', 'strangersWaitingOfAddress', refused),
    limitRow('such calls that wait', 'strangersWaiting', refused),
    limitRow(
      `bodies over ${bytes(LARGE_BYTES)} of calls without a token; of an address half of them`,
      'strangersLargeBodies',
      refused,
    ),
    limitRow('searches', 'searchesAtOnce', waits),
    limitRow('searches of an application', 'searchesOfApplication', waits),
    limitRow('searches in the connectors of an external user', 'searchesOfUser', waits),
    limitRow('searches of such a user that wait', 'searchesWaitingOfUser', refused),
    [
      'search time per external user that takes precedence over long searches',
      `${seconds(QUICK_TIME_MS)}, of a search ${seconds(QUICK_SEARCH_MS)}; half of the time that passes comes back`,
      '–',
      'others go first',
    ],
    limitRow('large pages that upstreams send, and files for JSON', 'pageBytes', refused),
    ofApplicationRow(refused),
    limitRow('the same of a caller', 'pageBytesOfCaller', `${refused}, but for the only one`),
    limitRow(`unread ${large}, and what is left of others`, 'unreadBytes', refused),
    ofApplicationRow(refused),
    limitRow('the same of a caller', 'unreadBytesOfCaller', `${refused}, but for the only one`),
    limitRow('an answer that is read slowly', 'largeAnswerTimeoutMs', closed),
    ['an answer that nobody reads', `${seconds(writeIdleTimeoutMs)} without progress`, '–', closed],
    limitRow('downloads of a connector', 'downloadsOfConnector', refused),
    limitRow('downloads of a caller', 'downloadsOfCaller', refused),
    limitRow('streams of sync events of a token', 'watchersOfToken', refused),
  ];
}

/** Of the row before it. */
function ofApplicationRow(refused: string): Row {
  return [
    'the same of an application and its external users',
    `${100 * APPLICATION_SHARE} % of that`,
    '–',
    `${refused}, but for the only one`,
  ];
}

function limitRow(what: string, name: keyof AdmissionLimits, beyond: string): Row {
  const values = [...new Set([SERVER_LIMITS, LAPTOP_LIMITS].map((limits) => limits[name]))];
  const bound = values.map((value) => amount(name, value ?? 0)).join(', ');
  const heap = Object.entries(HEAP_SHARES).find(([each]) => each === name)?.[1];
  const share = heap === undefined ? '' : `, or 1/${1 / heap} of the heap where that is less`;
  const setting = Object.entries(LIMIT_VARIABLES).find(([each]) => each === name)?.[1];
  return [what, bound + share, setting === undefined ? '–' : code(setting.variable), beyond];
}

function quotaRows(): readonly Row[] {
  const { connectorsPerUser, connectorsPerApplication } = DEFAULT_QUOTAS;
  const { connectSessionsPerUser, connectSessionsPerApplication } = DEFAULT_QUOTAS;
  const { demandApartMs, checkApartMs } = DEFAULT_QUOTAS;
  const setting = (name: QuotaSetting) => code(QUOTA_VARIABLES[name]);
  return [
    [
      'connectors of an external user',
      count(connectorsPerUser),
      setting('connectorsPerUser'),
      code('quota_exceeded'),
    ],
    [
      'connectors of an application',
      count(connectorsPerApplication),
      setting('connectorsPerApplication'),
      code('quota_exceeded'),
    ],
    [
      'open connect sessions of an external user',
      count(connectSessionsPerUser),
      '–',
      code('quota_exceeded'),
    ],
    [
      'open connect sessions of an application',
      count(connectSessionsPerApplication),
      '–',
      code('quota_exceeded'),
    ],
    [
      'tokens that an application has revoked one by one, for the time that they may have left',
      `${count(MOST_REVOKED_OF_APPLICATION)}, and ${count(MORE_APPLICATION_TOKENS)} application tokens that are given whole`,
      '–',
      code('quota_exceeded'),
    ],
    ['attempts in a connect session', count(MAX_ATTEMPTS), '–', code('quota_exceeded')],
    [
      'open sessions of the console, of an application and of the operator',
      count(MAX_CONSOLE_SESSIONS),
      '–',
      'the longest unused ends',
    ],
    [
      'asking for a sync of a connector',
      `every ${seconds(demandApartMs)}`,
      '–',
      code('rate_limited'),
    ],
    [
      'checks of a connector, in each process',
      `every ${seconds(checkApartMs)}`,
      '–',
      'the answer is the last one’s',
    ],
    [
      'calls of an application, in each process',
      'any number',
      '`PATCHBAY_RATE_LIMIT` (a minute)',
      code('rate_limited'),
    ],
    ['of those, an external user’s', `${100 * USER_SHARE} % of that`, '–', code('rate_limited')],
  ];
}

/** Every route that takes anything. */
function routes(): readonly Route[] {
  // Only handlers look at what they are given, and none is called here.
  const nothing = {} as never;
  return [
    ...tokenRoutes(nothing),
    ...applicationRoutes(nothing, nothing),
    ...connectorRoutes(nothing, nothing),
    ...connectSessionRoutes(nothing, nothing),
    ...pageSessionRoutes(nothing),
    ...consoleSessionRoutes({ sessions: nothing, publicUrl: () => undefined, trials: [] }),
    ...syncRoutes(nothing),
    ...deletionRoutes(nothing),
    ...oauthRoutes(nothing),
    ...consentPageRoutes({ consents: nothing, clock: nothing }),
    ...keyRoutes(nothing),
    ...statsRoutes(nothing),
    ...executeRoutes(nothing),
    ...kindRoutes(),
    ...mcpRoutes(nothing),
    ...systemRoutes(nothing),
  ];
}

function routeRows({ method, path, reach, doc }: Route): readonly Row[] {
  const route = code(`${method} ${path.replaceAll(/:([a-z]+)/g, '{$1}')}`);
  const { query: own = [], headers = [], body } = doc;
  const isInPlace = isOfOneApplication(reach);
  const query = isInPlace ? [APPLICATION_PARAMETER, ...own] : own;
  const refused = REFUSED_OTHERWISE[path] ?? code('invalid_request');
  const beyond = (name: string) => {
    const other = BEYOND[name];
    return other === undefined ? refused : code(other);
  };
  const rows = [
    ...path
      .matchAll(/:([a-z]+)/g)
      .map(([, name = '']) => [code(`{${name}}`), ...boundInPath(path, name)]),
    ...headers.map(({ name, schema }) => [
      `header ${code(name)}`,
      boundOf(schema) ?? 'the headers’',
      name === 'Last-Event-ID' ? 'ignored' : refused,
    ]),
    ...query.map(({ name, schema }) => [
      `query ${code(name)}`,
      boundOf(schema) ?? 'the headers’',
      name === 'application_id' ? unknownApplication(path, isInPlace) : beyond(name),
    ]),
    ...membersOf(body).map(([name, bound]) => [
      code(name),
      bound ?? 'the body’s',
      beyond(name.split('.')[0] ?? name),
    ]),
  ];
  return rows.map((row) => [route, ...row]);
}

/** Where what is wrong is not told as a problem. */
const REFUSED_OTHERWISE: Readonly<Record<string, string>> = {
  '/mcp': 'an error of the protocol (400)',
  [START_PATH]: 'a page that says so (400)',
  [CALLBACK_PATH]: 'a page that says so (400)',
};

/** What a part of a path has to be, and what is said of one that is not. */
function boundInPath(path: string, name: string): readonly string[] {
  if (name === 'kind') return ['the name of a kind', code('unknown_connector_type')];
  if (name === 'user')
    return [`1 to ${count(MAX_EXTERNAL_USER)} characters`, code('invalid_request')];
  return ['a UUID', code(absentOf(path, name))];
}

/** What is said of an id in a path that is none. */
function absentOf(path: string, name: string): string {
  if (name === 'session') return 'connect_session_not_found';
  if (name === 'secret') return 'secret_not_found';
  if (path.startsWith('/v1/jobs')) return 'job_not_found';
  return path.startsWith('/v1/applications') ? 'application_not_found' : 'connector_not_found';
}

/** What is said of an application that there is none of, in a query; lists of it are empty. */
function unknownApplication(path: string, isInPlace: boolean): string {
  return isInPlace
    ? code('application_not_found')
    : (UNKNOWN_APPLICATION[path] ?? 'nothing is listed');
}

const UNKNOWN_APPLICATION: Readonly<Record<string, string>> = {
  '/v1/external-users/:user': code('external_user_not_found'),
  '/v1/stats': code('application_not_found'),
};

/** Where it is another code than `invalid_request`. */
const BEYOND: Readonly<Record<string, string>> = {
  connector_type: 'unknown_connector_type',
  connector_types: 'unknown_connector_type',
  connector_id: 'connector_not_found',
  definition_id: 'unknown_connector_type',
  cursor: 'invalid_cursor',
  credentials: 'invalid_credentials',
  config: 'invalid_config',
  environment: 'invalid_config',
  replication_config: 'invalid_replication_config',
  entity: 'unknown_entity',
  action: 'unsupported_action',
  params: 'invalid_params',
};

/** Members of a body, and those one level below that have a bound, each with its bound. */
function membersOf(schema: unknown): readonly (readonly [string, string | undefined])[] {
  const bounds = new Map<string, Set<string>>();
  const add = (name: string, bound: string | undefined) => {
    const known = bounds.get(name) ?? new Set();
    bounds.set(name, known);
    if (bound !== undefined) known.add(bound);
  };
  for (const object of objectsIn(schema))
    for (const [name, member] of Object.entries(propertiesOf(object))) {
      if (name === 'params' || name === 'jsonrpc') {
        add(name, name === 'params' ? '[by param](#params), [searches](#search)' : '`2.0`');
        continue;
      }
      if (name === 'entity' || name === 'action') {
        add(name, 'a name of the kind’s');
        continue;
      }
      const below = objectsIn(member).flatMap((each) => Object.entries(propertiesOf(each)));
      if (below.length === 0) add(name, boundOf(member) ?? objectBoundOf(name, member));
      for (const [inner, each] of below) add(`${name}.${inner}`, boundOf(each));
    }
  return [...bounds].map(([name, all]) => [name, all.size === 0 ? undefined : [...all].join(', ')]);
}

/** Of objects of settings and credentials: what a kind takes none of, and what a change merges with. */
function objectBoundOf(name: string, member: unknown): string | undefined {
  if (!SETTINGS.includes(name)) return undefined;
  return objectsIn(member).length === 0 ? 'as in `POST`' : 'no members';
}

const SETTINGS: readonly string[] = ['credentials', 'config', 'environment', 'replication_config'];

/** The objects that a schema may mean, references followed. */
function objectsIn(schema: unknown): readonly Json[] {
  if (!isJsonObject(schema)) return [];
  const { $ref: reference, anyOf } = schema;
  if (typeof reference === 'string')
    return objectsIn(requestSchemas()[reference.split('/').at(-1) ?? '']);
  if ('properties' in schema) return [schema];
  return Array.isArray(anyOf) ? anyOf.flatMap(objectsIn) : [];
}

function propertiesOf({ properties }: Json): Json {
  return isJsonObject(properties) ? properties : {};
}

/** What a schema of a single value bounds, in words; `undefined` where that is nothing. */
function boundOf(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, anyOf, enum: words, format, pattern } = schema;
  if (Array.isArray(anyOf)) {
    const bounds = new Set(anyOf.map(boundOf).filter((bound) => bound !== undefined));
    return bounds.size === 0 ? undefined : [...bounds].join(', ');
  }
  if (Array.isArray(words)) return words.map((word) => code(String(word))).join(', ');
  switch (type) {
    case 'integer':
    case 'number':
      return rangeOf(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return listBoundOf(schema);
    case 'string':
      if (format === 'uuid') return 'a UUID';
      if (format === 'date-time') return 'an instant';
      return lengthOf(schema) ?? (typeof pattern === 'string' ? patternOf(pattern) : undefined);
    default:
      return undefined;
  }
}

function rangeOf({ minimum, maximum }: Json): string | undefined {
  const isGreatest = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (isGreatest && minimum === Number.MIN_SAFE_INTEGER) return undefined;
  if (typeof maximum === 'number' && !isGreatest)
    return `${count(Number(minimum ?? 0))} to ${count(maximum)}`;
  return typeof minimum === 'number' ? `${count(minimum)} or more` : undefined;
}

function lengthOf({ minLength = 0, maxLength }: Json): string | undefined {
  if (typeof maxLength !== 'number') return undefined;
  return `${Number(minLength)} to ${count(maxLength)} characters`;
}

function listBoundOf({ minItems = 0, maxItems, items }: Json): string | undefined {
  if (typeof maxItems !== 'number') return undefined;
  const each = boundOf(items);
  return `${Number(minItems)} to ${count(maxItems)}${each === undefined ? '' : `, each ${each}`}`;
}

/** Names of kinds may be spelled in many ways, and say nothing of themselves as a pattern. */
function patternOf(pattern: string): string {
  return pattern.startsWith('^\\s*') ? 'a kind there is' : code(pattern);
}

/** A param that many actions of a kind have is told once. */
function paramRows(): readonly Row[] {
  const bounded = allKinds().flatMap((kind) =>
    describeKind(kind).entities.flatMap(({ name: entity, actions }) =>
      actions
        .filter(({ hosted_only: isSearch }) => isSearch !== true)
        .flatMap(({ name, params_schema: schema }) =>
          Object.entries(propertiesOf(schema as Json)).flatMap(([param, each]) => {
            const bound = boundOf(each);
            const row = { kind: kind.kind, param, bound, action: `${entity}.${name}` };
            return bound === undefined || bound === 'true or false' ? [] : [row];
          }),
        ),
    ),
  );
  const alike = Map.groupBy(bounded, ({ kind, param, bound }) => `${kind} ${param} ${bound}`);
  return [...alike.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const { kind, param, bound = '' } = first;
    const actions = rows.map(({ action }) => code(action));
    const of = actions.length > MOST_NAMED ? `${actions.length} actions` : actions.join(', ');
    return [[code(kind), code(param), bound, of]];
  });
}

const MOST_NAMED = 3;

function searchRows(): readonly Row[] {
  const query = code('invalid_query');
  const limits = SEARCH_LIMITS;
  return [
    ['`limit`', `1 to ${count(limits.hits)}`, code('invalid_params')],
    ['`cursor`', `${count(MAX_CURSOR_LENGTH)} characters`, code('invalid_cursor')],
    ['`fields`', `${count(limits.fields)} paths`, query],
    ['names in all paths of `fields`', count(limits.namesInFields), query],
    ['`facets`', `${count(limits.facets)} paths, each name once`, query],
    ['names in a path', count(limits.namesInPath), query],
    ['names in all paths of a filter', count(limits.namesInFilter), query],
    ['levels of `and`, `or`, `not`, `any`', count(limits.depth), query],
    ['conditions', count(limits.conditions), query],
    ['`sort`', 'each field once', query],
    ['values of an `in`', count(limits.valuesOfIn), query],
    ['a pattern of `like`', `${count(limits.charactersOfLike)} characters`, query],
    [
      'all operands of `like`, `keyword`, `fuzzy`',
      `${count(limits.charactersOfTexts)} characters`,
      query,
    ],
    ['words in `keyword` and `fuzzy`', count(limits.words), query],
    ['matches that `count` and `facets` count', count(limits.counted), '`at_least`'],
    ['values of a facet', count(limits.valuesOfFacet), 'they count in `other`'],
    [
      'a text of a facet',
      `${count(limits.charactersOfFacetValue)} characters`,
      'it counts in `other`',
    ],
    [
      'different values of all facets together',
      count(limits.valuesOfFacets),
      code('search_too_broad'),
    ],
    [
      '`timeout_ms`',
      `1 to ${count(limits.timeoutMs)}, and at most the deadline of the call`,
      code('invalid_params'),
    ],
    [
      'time to find hits, from its turn on',
      `\`timeout_ms\`, ${count(limits.usualTimeoutMs)} ms unless said`,
      `${code('upstream_timeout')}, or with ${code('allow_partial')} the hits until then`,
    ],
    [
      'work of judging records one by one',
      `${count(limits.effort)} units ([what one is](search.md#too-much-work))`,
      `${code('search_too_broad')}, or with ${code('allow_partial')} the hits until then`,
    ],
  ];
}

/** How many paths the arguments take that are lists of them. */
const PATHS: Readonly<Record<string, number>> = {
  select_fields: SEARCH_LIMITS.fields,
  fields: SEARCH_LIMITS.fields,
  facets: SEARCH_LIMITS.facets,
};

function toolRows(): readonly Row[] {
  const tools = [listConnectors, describeTool, executeTool, searchTool, syncStatus];
  return tools.flatMap((tool) =>
    Object.entries(tool.argumentsOf({ mode: 'hosted', allowWrites: true })).map(
      ([name, { schema }]) => [
        code(tool.name),
        code(name),
        name in PATHS
          ? `${count(PATHS[name] ?? 0)} paths of ${MAX_SEGMENTS} names`
          : (boundOf(schema) ?? 'the body’s'),
      ],
    ),
  );
}

function answerRows(): readonly Row[] {
  const { field, message, detail } = MAX_PROBLEM_TEXT;
  const broken = code('upstream_contract_broken');
  return [
    ['a page of hits', '32 MiB', 'the page ends'],
    [
      'an upstream’s answer',
      `${bytes(MAX_BODY_BYTES)}, ${count(MAX_ANSWER_VALUES)} values`,
      broken,
    ],
    [
      `pages of more than ${bytes(LARGE_PAGE_BYTES)} that are copied at once in a process`,
      `one for each ${bytes(HEAP_OF_LARGE_PAGE)} of \`--max-old-space-size\`; 1 to ${MOST_LARGE_PAGES}`,
      'the others are taken in later',
    ],
    ['a page of an upstream’s list', `${count(MAX_PAGE_RECORDS)} records`, broken],
    [
      'the objects within its records, all declared members of each',
      `${count(MAX_ITEM_VALUES)} values`,
      broken,
    ],
    [
      'pages in a row of a list that is walked (syncs; `.all()` and `.pages()`) that bring no record but those of the last pages',
      `${count(MAX_FRUITLESS_PAGES)}; of empty ones ${count(MAX_EMPTY_PAGES)}`,
      broken,
    ],
    ['what an upstream calls its error', `${count(MAX_CODE)} characters`, 'cut'],
    ['a file inside JSON', bytes(MAX_INLINE_BYTES), code('invalid_request')],
    ['faults that a problem lists', '100 of a sort', 'how many more there are'],
    ['`detail` and `message` of a problem', `${count(detail)} characters`, 'cut'],
    ['`field` and `message` of a fault', `${count(field)}, ${count(message)} characters`, 'cut'],
  ];
}

function table(head: Row, rows: readonly Row[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => Array.from(row[column] ?? '').length), 3),
  );
  const line = (row: Row) =>
    `| ${row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Array.from(cell).length)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [first = head, ...others] = cells;
  return [line(first), rule, ...others.map(line)].join('\n');
}

function amount(name: string, value: number): string {
  if (name.includes('Bytes')) return bytes(value);
  return name.endsWith('Ms') ? seconds(value) : count(value);
}

function code(text: string): string {
  return `\`${text}\``;
}

function count(number: number): string {
  return number.toLocaleString('en');
}

function bytes(number: number): string {
  return number >= MIB ? `${number / MIB} MiB` : `${number / 1024} KiB`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
