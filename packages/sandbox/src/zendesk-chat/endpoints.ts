import type { Parameters } from '../zendesk-support/parameters.ts';
import type { ChatAccount, ExportName } from './account.ts';
import { chatPosition } from './seeded-chats.ts';
import { accountRecord, routingSettings } from './seeded-staff.ts';
import type { ChatEntity } from './world.ts';

/** A call as an endpoint sees it. */
export interface ChatEndpointCall {
  readonly account: ChatAccount;
  readonly parameters: Parameters;
  /** What stands for the id in the path. */
  readonly id: string;
  /** Who calls; undefined for a token that was made by hand, which is the first agent's. */
  readonly agentId: string | undefined;
}

/** One endpoint, by the way it answers. */
export type ChatEndpoint =
  /** One JSON value; undefined when there is no such record. */
  | { readonly kind: 'value'; value(call: ChatEndpointCall): unknown }
  /** A page of records by their ids. */
  | { readonly kind: 'byId'; readonly entity: 'agents' | 'bans'; readonly maxLimit: number }
  /** A page of what has changed since a time. */
  | { readonly kind: 'export'; readonly name: ExportName; readonly unitsPerSecond: number };

type StaffEntity = Exclude<ChatEntity, ExportName>;

/** Every endpoint that is simulated, by the template of its path. */
export const CHAT_ENDPOINTS: ReadonlyMap<string, ChatEndpoint> = new Map<string, ChatEndpoint>([
  ['/account', { kind: 'value', value: ({ account }) => accountRecord(account.world) }],
  ['/agents', { kind: 'byId', entity: 'agents', maxLimit: 100 }],
  ['/agents/me', { kind: 'value', value: findCaller }],
  ['/agents/{agent_id}', one('agents')],
  ['/bans', { kind: 'byId', entity: 'bans', maxLimit: 1_000 }],
  ['/bans/{ban_id}', one('bans')],
  ['/chats/{chat_id}', { kind: 'value', value: findChat }],
  ['/departments', all('departments')],
  ['/departments/{department_id}', one('departments')],
  ['/goals', all('goals')],
  ['/goals/{goal_id}', one('goals')],
  [
    '/incremental/agent_timeline',
    { kind: 'export', name: 'agent_timeline', unitsPerSecond: 1_000_000 },
  ],
  ['/incremental/chats', { kind: 'export', name: 'chats', unitsPerSecond: 1 }],
  ['/roles', all('roles')],
  ['/roles/{role_id}', one('roles')],
  ['/routing_settings/account', { kind: 'value', value: () => ({ data: routingSettings() }) }],
  ['/shortcuts', all('shortcuts')],
  ['/shortcuts/{shortcut_id}', { kind: 'value', value: findShortcut }],
  ['/skills', all('skills')],
  ['/skills/{skill_id}', one('skills')],
  ['/triggers', all('triggers')],
]);

/** The endpoint of a path, with its template and the path's id; undefined for unknown paths. */
export function matchChatPath(path: string) {
  const exact = CHAT_ENDPOINTS.get(`/${path}`);
  if (exact !== undefined) return { template: `/${path}`, endpoint: exact, id: '' };
  const slash = path.indexOf('/');
  const [list, id] = [path.slice(0, slash), path.slice(slash + 1)];
  for (const [template, endpoint] of CHAT_ENDPOINTS) {
    if (!template.endsWith('}') || !template.startsWith(`/${list}/{`) || id === '') continue;
    return id.includes('/') ? undefined : { template, endpoint, id: decodeURIComponent(id) };
  }
  return undefined;
}

function all(entity: StaffEntity): ChatEndpoint {
  return {
    kind: 'value',
    value: ({ account }) => {
      const collection = account.collection(entity);
      return Array.from({ length: collection.end }, (_, position) => collection.recordAt(position));
    },
  };
}

function one(entity: StaffEntity): ChatEndpoint {
  return {
    kind: 'value',
    value: ({ account, id }) => {
      const collection = account.collection(entity);
      const position = /^\d{1,15}$/.test(id) ? collection.positionOf(Number(id)) : undefined;
      return position === undefined ? undefined : collection.recordAt(position);
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/agents/ */
function findCaller({ account, agentId }: ChatEndpointCall): unknown {
  const agents = account.collection('agents');
  return agents.recordAt(agentId === undefined ? 0 : (agents.positionOf(Number(agentId)) ?? 0));
}

/** The id of a shortcut is its name. */
function findShortcut({ account, id }: ChatEndpointCall): unknown {
  const shortcuts = account.collection('shortcuts');
  for (let position = 0; position < shortcuts.end; position += 1) {
    const shortcut = shortcuts.recordAt(position);
    if (shortcut['id'] === id) return shortcut;
  }
  return undefined;
}

function findChat({ account, id }: ChatEndpointCall): unknown {
  const position = chatPosition(account.world, id);
  const chat = position === undefined ? undefined : account.exports.chats.recordAt(position);
  return chat?.['deleted'] === true ? undefined : chat;
}
