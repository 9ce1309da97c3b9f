import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import {
  hopelessLikes,
  keywords,
  longNumbers,
  nearlyCommon,
  negatedFuzzy,
  nested,
  times,
  type Filter,
} from './attack-filters.ts';
import type { AttackNumbers } from './attack-numbers.ts';

/** Who attacks: a tenant with an application of its own. */
export interface Attacker {
  /** Several of one external user. */
  readonly readTokens: readonly string[];
  readonly writeToken: string;
  /** One with a large copy. */
  readonly large: string;
  /** Write tokens of three more tenants. */
  readonly others: readonly string[];
}

/** A request of an attack; without a token it goes out with that of the attack's access. */
export interface AttackRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is where it is a text, else as JSON. */
  readonly body?: unknown;
}

/** Asks as the attacker with its write token; the answer is parsed. */
export type Ask = (request: AttackRequest) => Promise<unknown>;

/** What one request of an attack is made for. */
export interface Scene extends Attacker {
  readonly numbers: AttackNumbers;
  /** What `prepare` made: connectors, for example. */
  readonly prepared: readonly string[];
  /** Counts all requests of the attack. */
  readonly nth: number;
}

export interface Attack {
  readonly name: string;
  /** What the attacker's token allows. */
  readonly access: 'read' | 'write';
  /** Where they differ from the defaults. */
  readonly numbers?: Partial<AttackNumbers>;
  /** Whether another tenant's first copy has to be made beside it. */
  readonly delaysCopies?: true;
  readonly prepare?: (ask: Ask, numbers: AttackNumbers) => Promise<readonly string[]>;
  readonly request: (scene: Scene) => AttackRequest;
}

const CONNECTORS = '/v1/integrations/connectors';
const EXTERNAL_USER = 'bench';

/** Everything that a tenant can do to others that we know of, the gravest last. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'negated-fuzzy',
    access: 'read',
    numbers: { clients: 4, limit: 200 },
    request: searching(negatedFuzzy),
  },
  { name: 'inflating-cursors', access: 'read', numbers: { clients: 8 }, request: forgedCursor },
  {
    name: 'slow-searches-10',
    access: 'read',
    numbers: { clients: 10, deadlineMs: 1_000 },
    request: searching(hopelessLikes),
  },
  {
    name: 'slow-searches-40',
    access: 'read',
    numbers: { deadlineMs: 1_000 },
    request: searching(hopelessLikes),
  },
  {
    name: 'abandoned-searches',
    access: 'read',
    numbers: { leaveAfterMs: 300 },
    request: searching(hopelessLikes),
  },
  {
    name: 'fuzzy-words',
    access: 'read',
    numbers: { clients: 8, limit: 1_000 },
    request: searching(nearlyCommon),
  },
  {
    name: 'keyword-words',
    access: 'read',
    numbers: { clients: 8, limit: 1_000 },
    request: searching(keywords),
  },
  {
    name: 'nested-filters',
    access: 'read',
    numbers: { clients: 8, conditions: 40, limit: 1_000 },
    request: searching(nested),
  },
  {
    name: 'large-pages-unread',
    access: 'read',
    numbers: { bytesPerSecond: 0 },
    request: searching(everything),
  },
  {
    name: 'large-pages-trickled',
    access: 'read',
    numbers: { bytesPerSecond: 1 },
    request: searching(everything),
  },
  {
    name: 'lists-unread',
    access: 'read',
    numbers: { bytesPerSecond: 0, limit: 150 },
    request: listing,
  },
  {
    name: 'large-pages-read',
    access: 'read',
    numbers: { clients: 60 },
    request: searching(everything),
  },
  {
    name: 'downloads-unread',
    access: 'read',
    numbers: { clients: 140, connectors: 18, bytesPerSecond: 0 },
    prepare: prepareDownloads,
    request: downloading,
  },
  {
    name: 'event-watchers',
    access: 'read',
    numbers: { clients: 320 },
    // Its sync goes on, since its upstream does not answer.
    prepare: async (ask) => [await create(ask, intercom('hang'))],
    request: ({ prepared: [watched = ''] }) => ({
      method: 'GET',
      path: `${CONNECTORS}/${watched}/sync/events`,
    }),
  },
  {
    name: 'syncs-and-checks',
    access: 'write',
    prepare: async (ask) => [await create(ask, intercom('small'))],
    request: ({ prepared: [own = ''], nth }) => ({
      method: 'POST',
      path: `${CONNECTORS}/${own}/${nth % 2 === 0 ? 'sync' : 'check'}`,
    }),
  },
  {
    name: 'odd-bodies',
    access: 'write',
    numbers: { clients: 10, letters: 40_000 },
    request: oddBody,
  },
  {
    name: 'random-tokens',
    access: 'read',
    numbers: { bytes: 12_000, pauseMs: 0 },
    request: randomLogin,
  },
  { name: 'mcp-flood', access: 'read', numbers: { limit: 100 }, request: mcpSearch },
  {
    name: 'get-flood',
    access: 'read',
    numbers: { clients: 500, pauseMs: 0 },
    request: ({ large }) => ({ method: 'GET', path: `${CONNECTORS}/${large}` }),
  },
  {
    name: 'describe-flood',
    access: 'read',
    numbers: { clients: 128, pauseMs: 0 },
    request: ({ large }) => ({ method: 'GET', path: `${CONNECTORS}/${large}/describe` }),
  },
  {
    name: 'list-flood',
    access: 'read',
    numbers: { clients: 500, pauseMs: 0, limit: 10 },
    request: listing,
  },
  {
    name: 'search-flood',
    access: 'read',
    numbers: { clients: 500, pauseMs: 0, limit: 10 },
    request: searching(() => ({ keyword: { email: 'example' } })),
  },
  {
    name: 'hanging-upstreams',
    access: 'write',
    numbers: { clients: 16, requests: 1 },
    delaysCopies: true,
    request: ({ nth }) => creating(nth % 2 === 0 ? intercom('hang') : UNREACHABLE),
  },
  {
    name: 'new-connectors',
    access: 'write',
    numbers: { clients: 8, pauseMs: 0 },
    delaysCopies: true,
    request: () => creating(intercom('small')),
  },
  {
    name: 'first-copies',
    access: 'write',
    numbers: { clients: 3, requests: 1 },
    delaysCopies: true,
    request: ({ nth, others }) => ({
      ...creating(intercom('huge')),
      token: others[nth % others.length] ?? '',
    }),
  },
];

/** Its upstream is one that refuses connections. */
const UNREACHABLE = {
  connector_type: 'support-chat',
  credentials: { access_token: 'unreachable' },
  config: { subdomain: 'bench' },
};

const ZENDESK = {
  connector_type: 'support-ticketing',
  credentials: { access_token: 'small' },
  config: { subdomain: 'bench' },
};

function intercom(account: 'small' | 'huge' | 'hang') {
  return { connector_type: 'customer-messaging', credentials: { access_token: account } };
}

function creating(connector: Readonly<Record<string, unknown>>): AttackRequest {
  const body = { external_user_id: EXTERNAL_USER, name: 'Attack', ...connector };
  return { method: 'POST', path: CONNECTORS, body };
}

async function create(ask: Ask, connector: Readonly<Record<string, unknown>>): Promise<string> {
  // The service answers 201 with the connector.
  return ((await ask(creating(connector))) as { id: string }).id;
}

async function isCopying(ask: Ask, connectorId: string): Promise<boolean> {
  const status = await ask({ method: 'GET', path: `${CONNECTORS}/${connectorId}/sync` });
  // As docs/wire.md#status-of-syncs has it.
  return (status as { current: { state: string } | null }).current?.state === 'running';
}

function executing(connectorId: string, body: unknown): AttackRequest {
  return { method: 'POST', path: `/api/v1/connectors/sources/${connectorId}/execute`, body };
}

function searching(
  filterOf: (numbers: AttackNumbers, nth: number) => Filter,
): (scene: Scene) => AttackRequest {
  return ({ large, numbers, nth }) => {
    const params = { query: { filter: filterOf(numbers, nth) }, limit: numbers.limit };
    return {
      ...executing(large, { entity: 'contacts', action: 'search', params }),
      headers: { 'patchbay-timeout-ms': String(numbers.deadlineMs) },
    };
  };
}

function everything(): Filter {
  return {};
}

function listing({ large, numbers: { limit } }: Scene): AttackRequest {
  return executing(large, { entity: 'contacts', action: 'list', params: { per_page: limit } });
}

/** Made once: it takes longer than to send it. */
const inflating = new Map<number, string>();

/** A cursor that looks like one of ours and inflates to `bytes`, with a digest and without. */
function forgedCursor({ large, numbers: { bytes }, nth }: Scene): AttackRequest {
  let cursor = inflating.get(bytes);
  if (cursor === undefined) {
    const values = Buffer.from(JSON.stringify([1, 'a'.repeat(bytes), 'b']));
    inflating.set(bytes, (cursor = deflateRawSync(values).toString('base64url')));
  }
  const digest = nth % 2 === 0 ? `.${randomText(32)}` : '';
  const params = { query: { sort: [{ name: 'asc' }] }, cursor: cursor + digest };
  return executing(large, { entity: 'contacts', action: 'search', params });
}

async function prepareDownloads(ask: Ask, numbers: AttackNumbers): Promise<readonly string[]> {
  const connectors: string[] = [];
  while (connectors.length < numbers.connectors) {
    const id = await create(ask, ZENDESK);
    await ask({ method: 'PATCH', path: `${CONNECTORS}/${id}`, body: { paused: true } });
    connectors.push(id);
  }
  // Their copies would be another attack.
  for (const id of connectors) while (await isCopying(ask, id)) await wait(100);
  const comments = (await ask(
    executing(connectors[0] ?? '', {
      entity: 'ticket_comments',
      action: 'list',
      params: { ticket_id: 1 },
    }),
  )) as { result: readonly { attachments: readonly { id: number }[] }[] };
  const file = comments.result[0]?.attachments[0]?.id;
  return connectors.map((connectorId) => `${connectorId} ${String(file)}`);
}

function downloading({ prepared, nth }: Scene): AttackRequest {
  const [connectorId = '', file] = prepared[nth % prepared.length]?.split(' ') ?? [];
  const params = { attachment_id: Number(file) };
  return executing(connectorId, { entity: 'attachments', action: 'download', params });
}

function oddBody(scene: Scene): AttackRequest {
  const { large, numbers, nth } = scene;
  switch (nth % 5) {
    case 0:
      return searching(longNumbers)(scene);
    case 1:
      return searching(() => ({ eq: { name: '\u0000' } }))(scene);
    case 2:
      return executing(large, '['.repeat(numbers.bytes));
    case 3: {
      const values = times(1_000, (value) => String(value).padEnd(numbers.bytes / 1_100, 'x'));
      return searching(() => ({ in: { name: values } }))(scene);
    }
    default:
      return mcp('execute', {
        connector: large,
        entity: 'contacts',
        action: 'list',
        idempotency_key: '\u0000',
      });
  }
}

/** Bearer tokens that are none, and logins with a wrong secret. */
function randomLogin({ large, numbers: { bytes }, nth }: Scene): AttackRequest {
  if (nth % 2 === 0) {
    const token = [24, (bytes * 3) / 4, 32].map(randomText).join('.');
    return { method: 'GET', path: `${CONNECTORS}/${large}`, token };
  }
  const body = { client_id: randomText(16), client_secret: 'x'.repeat(1_000) };
  return { method: 'POST', path: '/api/v1/account/applications/token', body };
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function mcpSearch({ large, numbers: { limit } }: Scene): AttackRequest {
  const query = { filter: { keyword: { email: 'example' } } };
  return mcp('search', { connector: large, entity: 'contacts', query, limit });
}

function mcp(name: string, given: Readonly<Record<string, unknown>>): AttackRequest {
  return {
    method: 'POST',
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
  };
}
