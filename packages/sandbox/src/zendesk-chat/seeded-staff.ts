import { FIRST_NAMES, LAST_NAMES } from '../invented-names.ts';
import { hash32, pick } from '../seeded-random.ts';
import type { SeededRecords, ZendeskRecord } from '../zendesk-support/collection.ts';
import { DAY_SECONDS, isoTime } from '../zendesk-support/times.ts';
import { DEPARTMENT_NAMES } from './words.ts';
import type { ChatEntity, ChatWorld } from './world.ts';

type StaffEntity = Exclude<ChatEntity, 'agent_timeline' | 'chats'>;

/** The full name of the agent at a position. */
export function agentName(world: ChatWorld, agent: number): string {
  const { first, last } = namePartsOf(world, agent);
  return `${first} ${last}`;
}

/** The department that a hash selects, as chats and agents refer to it. */
export function departmentOf(world: ChatWorld, hash: number) {
  const position = hash % world.counts.departments;
  const name = pick(DEPARTMENT_NAMES, position);
  return {
    id: world.ids.departments.idAt(position),
    name: position < DEPARTMENT_NAMES.length ? name : `${name} ${String(position + 1)}`,
  };
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/agents/ */
export function seededAgents(world: ChatWorld): SeededRecords {
  return seeded(world, 'agents', (position, id) => {
    const hash = hash32(world.seed, position, 100);
    const { first, last } = namePartsOf(world, position);
    const departments = departmentsOf(world, position);
    const createdAt = world.startsAt + position * 60;
    return {
      id,
      email: `agent${String(position)}@example.com`,
      display_name: position % 4 === 0 ? first : `${first} ${last.slice(0, 1)}.`,
      first_name: first,
      last_name: last,
      // A number here, as of triggers; departments have true or false.
      enabled: position % 13 === 11 ? 0 : 1,
      role_id: world.ids.roles.idAt(roleOf(position)),
      roles: { administrator: position < 3, owner: position === 0 },
      departments,
      enabled_departments: departments.slice(0, 1),
      skills: hasSkill(position) ? [world.ids.skills.idAt(position % world.counts.skills)] : [],
      scope: 'all',
      create_date: isoTime(createdAt),
      last_login: hash % 9 === 0 ? null : isoTime(world.endsAt - (hash % (30 * DAY_SECONDS))),
      login_count: hash % 400,
    };
  });
}

/** What a list gives of the bans of each type, by the name of their group. */
export const BAN_GROUPS = {
  ip_address: { type: 'I', fields: ['ip_address'] },
  visitor: { type: 'V', fields: ['visitor_id', 'visitor_name'] },
} as const;

/**
 * Bans of visitors and of addresses, in turn. Zendesk shows one of an address, with the type `I` and empty
 * texts for the visitor; `V` is ours.
 *
 * @see https://developer.zendesk.com/api-reference/live-chat/chat-api/bans/
 */
export function seededBans(world: ChatWorld): SeededRecords {
  return seeded(world, 'bans', (position, id) => {
    const hash = hash32(world.seed, position, 101);
    const shared = {
      id,
      reason: pick(['Spam', 'Beleidigung', ''], hash),
      // The oldest bans have no creation time.
      created_at: position < 2 ? null : isoTime(world.startsAt + position * 3_600),
    };
    if (position % 2 === 1) {
      const address = `203.0.113.${String(hash % 256)}`;
      return { ...shared, type: 'I', ip_address: address, visitor_id: '', visitor_name: '' };
    }
    return {
      ...shared,
      type: 'V',
      ip_address: '',
      visitor_id: `${String(world.accountId)}.v${hash.toString(36)}`,
      visitor_name: `Visitor ${String(10_000_000 + (hash % 90_000_000))}`,
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/departments/ */
export function seededDepartments(world: ChatWorld): SeededRecords {
  return seeded(world, 'departments', (position, id) => ({
    id,
    name: departmentOf(world, position).name,
    description: position % 2 === 0 ? 'Answers within minutes' : '',
    enabled: position % 5 !== 4,
    members: agentsOf(world, { position, of: world.counts.departments }, hasDepartment),
    settings: { chat_limit: 3 + (position % 4) },
  }));
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/goals/ */
export function seededGoals(world: ChatWorld): SeededRecords {
  return seeded(world, 'goals', (position, id) => ({
    id,
    name: pick(['Order placed', 'Signed up', 'Demo asked for', 'Catalogue read'], position),
    description: '',
    enabled: position !== 3,
    attribution_model: position % 2 === 0 ? 'last_touch' : 'first_touch',
    attribution_window: 15,
    attribution_period: 15 * DAY_SECONDS,
    settings: { conditions: [{ key: 'url', operator: 'contains', value: '/thanks' }] },
  }));
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/roles/ */
export function seededRoles(world: ChatWorld): SeededRecords {
  return seeded(world, 'roles', (position, id) => ({
    id,
    name: pick(['Owner', 'Administrator', 'Agent', 'Trainee'], position),
    description: 'What one may do',
    enabled: position !== 3,
    permissions: {
      visitors_seen: position < 2 ? 'account' : 'department',
      proactive_chatting: position < 3 ? 'listen-join' : 'none',
      edit_visitor_information: true,
      edit_visitor_notes: true,
      view_past_chats: 'account',
      edit_chat_tags: true,
      manage_bans: position < 2 ? 'account' : 'self',
      access_analytics: 'account',
      view_monitor: 'none',
      edit_department_agents: 'none',
      set_agent_chat_limit: 'none',
      manage_shortcuts: 'self',
    },
    members_count: position === 3 ? 0 : 1 + position,
  }));
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/shortcuts/ */
export function seededShortcuts(world: ChatWorld): SeededRecords {
  return seeded(world, 'shortcuts', (position) => ({
    id: shortcutName(position),
    name: shortcutName(position),
    message: pick(
      ['Good morning! 👋', 'Bitte nennen Sie Ihre Nummer.', 'Thank you & bye'],
      position,
    ),
    options: position % 3 === 0 ? 'Yes/No' : '',
    tags: position % 2 === 0 ? ['greeting'] : [],
    departments: position % 4 === 0 ? [departmentOf(world, position).id] : [],
    agents: position % 5 === 0 ? [world.ids.agents.idAt(position % world.counts.agents)] : [],
    scope: pick(['all', 'department', 'agent', 'all'], position),
  }));
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/skills/ */
export function seededSkills(world: ChatWorld): SeededRecords {
  return seeded(world, 'skills', (position, id) => ({
    id,
    name: pick(['Deutsch', 'English', '日本語', 'Billing', 'Lanterns', 'Patience'], position),
    description: '',
    enabled: position !== 5,
    members: agentsOf(world, { position, of: world.counts.skills }, hasSkill),
  }));
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/triggers/ */
export function seededTriggers(world: ChatWorld): SeededRecords {
  return seeded(world, 'triggers', (position, id) => {
    const condition = ['and', ['icontains', '@visitor_page_url', '/cart']];
    const action = ['sendMessageToVisitor', 'Guide', 'Can I help?'];
    return {
      id,
      name: `Trigger ${String(position + 1)}`,
      description: position % 2 === 0 ? 'Greets visitors' : '',
      enabled: position % 4 === 3 ? 0 : 1,
      run_once: position % 3 === 0,
      conditions: [{ operator: 'icontains', attribute: '@visitor_page_url', value: '/cart' }],
      actions: [{ name: 'sendMessageToVisitor', arguments: ['Guide', 'Can I help?'] }],
      departments: position % 2 === 0 ? [] : [departmentOf(world, position).id],
      definition: { event: 'page_enter', condition, actions: [action], version: 1 },
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/accounts/ */
export function accountRecord(world: ChatWorld): ZendeskRecord {
  return {
    account_key: `sbx${String(world.accountId)}`,
    status: 'active',
    create_date: isoTime(world.startsAt),
    billing: {
      company: 'Lantern & Co.',
      first_name: 'Abrin',
      last_name: 'Ashmarrow',
      email: 'billing@example.com',
      phone: '+31205550100',
      address1: 'Keizersgracht 1',
      address2: '',
      city: 'Amsterdam',
      state: 'NH',
      postal_code: '1015 AA',
      country_code: 'NL',
      additional_info: '',
      cycle: 12,
    },
    plan: {
      name: 'enterprise',
      price: 70.5,
      max_agents: world.counts.agents,
      max_departments: 'unlimited',
      max_concurrent_chats: 'unlimited',
      max_history_search_days: 'unlimited',
      max_advanced_triggers: 'unlimited',
      max_basic_triggers: 'unlimited',
      analytics: true,
      file_upload: true,
      rest_api: true,
      goals: 150,
      high_load: true,
      integrations: true,
      ip_restriction: true,
      monitoring: true,
      operating_hours: true,
      sla: true,
      support: true,
      unbranding: true,
      agent_leaderboard: true,
      agent_reports: true,
      chat_reports: true,
      daily_reports: true,
      email_reports: true,
      widget_customization: 'full',
      long_desc: 'Everything there is',
      short_desc: 'All',
    },
  };
}

/** @see https://developer.zendesk.com/api-reference/live-chat/chat-api/routing_settings/ */
export function routingSettings(): ZendeskRecord {
  return {
    routing_mode: 'assigned',
    chat_limit: { enabled: true, limit: 3, limit_type: 'account', allow_agent_override: false },
    skill_routing: { enabled: true, max_wait_time: 30 },
    reassignment: { enabled: true, timeout: 30 },
    auto_idle: { enabled: false, reassignments_before_idle: 3, new_status: 'away' },
    auto_accept: { enabled: false },
  };
}

function seeded(
  world: ChatWorld,
  entity: StaffEntity,
  recordOf: (position: number, id: number) => ZendeskRecord,
): SeededRecords {
  const ids = world.ids[entity];
  return {
    count: world.counts[entity],
    positionOf: (id) => ids.positionOf(id),
    recordAt: (position) => recordOf(position, ids.idAt(position)),
  };
}

function namePartsOf(world: ChatWorld, agent: number) {
  const hash = hash32(world.seed, agent, 102);
  return { first: pick(FIRST_NAMES, hash), last: pick(LAST_NAMES, hash >>> 8) };
}

/** What is typed for it, and its id: spaces, other scripts and digits alone are allowed. */
function shortcutName(position: number): string {
  const name = pick(['goodbye', 'sign up', '2024', 'größe?', 'question', '100%'], position);
  const round = Math.floor(position / 6);
  return round === 0 ? name : `${name} ${String(round + 1)}`;
}

function roleOf(agent: number): number {
  if (agent === 0) return 0;
  return agent < 3 ? 1 : 2;
}

function departmentsOf(world: ChatWorld, agent: number): readonly number[] {
  return hasDepartment(agent) ? [departmentOf(world, agent).id] : [];
}

function hasDepartment(agent: number): boolean {
  return agent % 7 !== 5;
}

function hasSkill(agent: number): boolean {
  return agent % 4 !== 3;
}

/** The ids of the agents in a group; agents are dealt out in turn to the `of` groups there are. */
function agentsOf(
  world: ChatWorld,
  { position, of }: { readonly position: number; readonly of: number },
  isMember: (agent: number) => boolean,
): readonly number[] {
  const members: number[] = [];
  for (let agent = position; agent < world.counts.agents; agent += of) {
    if (isMember(agent)) members.push(world.ids.agents.idAt(agent));
  }
  return members;
}
