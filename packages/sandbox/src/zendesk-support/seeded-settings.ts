import { pick } from '../seeded-random.ts';
import type { SeededRecords, ZendeskRecord } from './collection.ts';
import { groupIdOf } from './seeded-people.ts';
import { CUSTOM_FIELD_POSITIONS } from './seeded-tickets.ts';
import { isoTime } from './times.ts';
import type { SupportEntity, SupportWorld } from './world.ts';

type SettingsEntity = Exclude<SupportEntity, 'tickets' | 'tags'>;

/** The type and the title of a field. */
type FieldKind = readonly [string, string];

const SYSTEM_FIELDS: readonly [FieldKind, ...FieldKind[]] = [
  ['subject', 'Subject'],
  ['description', 'Description'],
  ['status', 'Status'],
  ['tickettype', 'Type'],
  ['priority', 'Priority'],
  ['group', 'Group'],
  ['assignee', 'Assignee'],
  ['custom_status', 'Ticket status'],
  ['basic_priority', 'Basic priority'],
  ['lookup', 'Related ticket'],
];
const CUSTOM_FIELDS: readonly [FieldKind, ...FieldKind[]] = [
  ['tagger', 'Product'],
  ['integer', 'Order number'],
  ['checkbox', 'Urgent for the customer'],
  ['date', 'Wanted by'],
  ['regexp', 'Remark'],
  ['multiselect', 'Colours'],
];
const CUSTOM_STATUSES = ['new', 'open', 'pending', 'hold', 'solved'] as const;

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_fields/ */
export function seededTicketFields(world: SupportWorld, locale: string | undefined): SeededRecords {
  return settings(world, 'ticket_fields', (position, id) => {
    const custom = position - CUSTOM_FIELD_POSITIONS[0];
    const isCustom = custom >= 0;
    const [type, title] = isCustom
      ? pick(CUSTOM_FIELDS, custom)
      : (SYSTEM_FIELDS[position] ?? SYSTEM_FIELDS[0]);
    return {
      type,
      title,
      raw_title: title,
      description: `What ${title.toLowerCase()} is about`,
      raw_description: `What ${title.toLowerCase()} is about`,
      // Custom fields have positions in the reverse order of their ids, so that the two sort apart.
      position: isCustom ? 9_999 - custom : position,
      active: position !== 9,
      required: position < 2,
      collapsed_for_agents: false,
      regexp_for_validation: type === 'regexp' ? '^.{0,80}$' : null,
      title_in_portal: locale === undefined ? title : `[${locale}] ${title}`,
      raw_title_in_portal: title,
      visible_in_portal: position < 2 || isCustom,
      editable_in_portal: position < 2 || isCustom,
      required_in_portal: position < 2,
      agent_can_edit: true,
      tag: type === 'checkbox' ? 'urgent_customer' : null,
      removable: isCustom,
      key: isCustom ? `custom_${String(custom)}` : null,
      agent_description: isCustom ? 'For agents only' : null,
      sub_type_id: type === 'priority' ? 1 : 0,
      ...(type === 'status' || type === 'custom_status'
        ? {
            system_field_options: CUSTOM_STATUSES.map((value) => ({
              name: titleCase(value),
              value,
            })),
            custom_statuses: CUSTOM_STATUSES.map((category, nth) => ({
              id: 700_100 + nth,
              status_category: category,
              agent_label: titleCase(category),
              end_user_label: titleCase(category),
              active: true,
              default: true,
              url: `${world.apiUrl}/custom_statuses/${String(700_100 + nth)}.json`,
            })),
          }
        : {}),
      ...(type === 'tagger' || type === 'multiselect'
        ? {
            custom_field_options: ['lantern', 'ember', 'kite'].map((value, nth) => ({
              id: id * 10 + nth,
              name: titleCase(value),
              raw_name: titleCase(value),
              value,
              default: nth === 0,
            })),
          }
        : {}),
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_forms/ */
export function seededTicketForms(world: SupportWorld): SeededRecords {
  return settings(world, 'ticket_forms', (position) => {
    const name = pick(['Default form', 'Returns', 'Feature wishes', 'Old form'], position);
    const [field] = CUSTOM_FIELD_POSITIONS;
    return {
      raw_name: name,
      name,
      raw_display_name: name,
      display_name: name,
      end_user_visible: position !== 2,
      position: position + 1,
      ticket_field_ids: [0, 1, 2, field + position].map((nth) => world.ids.ticket_fields.idAt(nth)),
      active: position !== 3,
      default: position === 0,
      in_all_brands: position < 2,
      restricted_brand_ids: position < 2 ? [] : [world.ids.brands.idAt(1)],
      agent_conditions:
        position === 1
          ? [
              {
                parent_field_id: world.ids.ticket_fields.idAt(3),
                parent_field_type: 'tickettype',
                value: 'question',
                child_fields: [
                  {
                    id: world.ids.ticket_fields.idAt(field),
                    is_required: false,
                    required_on_statuses: { type: 'NO_STATUSES' },
                  },
                ],
              },
            ]
          : [],
      end_user_conditions: [],
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/account-configuration/brands/ */
export function seededBrands(world: SupportWorld): SeededRecords {
  return settings(world, 'brands', (position) => {
    const name = pick(['Lantern & Co.', 'Ember', 'Tide Outlet'], position);
    const subdomain = pick(['lantern', 'ember', 'tide'], position);
    return {
      name,
      brand_url: `https://${subdomain}.example.com`,
      subdomain,
      host_mapping: position === 1 ? 'help.ember.example.com' : null,
      has_help_center: position !== 2,
      help_center_state: position === 2 ? 'disabled' : 'enabled',
      active: position !== 2,
      default: position === 0,
      is_deleted: false,
      logo: null,
      ticket_form_ids: [0, 1].map((nth) => world.ids.ticket_forms.idAt(nth)),
      signature_template: '{{agent.signature}}',
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/business-rules/views/ */
export function seededViews(world: SupportWorld): SeededRecords {
  return settings(world, 'views', (position) => {
    const title = `${pick(['Your unsolved tickets', 'Überfällig', 'Recently solved', 'All'], position)} ${String(position + 1)}`;
    return {
      title,
      raw_title: title,
      active: position % 7 !== 5,
      default: position === 0,
      position: (position * 5) % world.counts.views,
      description: position % 3 === 0 ? null : 'Kept up by the morning shift',
      execution: {
        group_by: 'status',
        group_order: 'asc',
        sort_by: 'updated_at',
        sort_order: 'desc',
        group: { id: 'status', title: 'Status', order: 'asc' },
        sort: { id: 'updated', title: 'Updated', order: 'desc' },
        columns: [
          { id: 'subject', title: 'Subject' },
          { id: 'requester', title: 'Requester' },
        ],
        fields: [{ id: 'subject', title: 'Subject' }],
        custom_fields: [],
      },
      conditions: {
        all: [{ field: 'status', operator: 'less_than', value: 'solved' }],
        any: [],
      },
      restriction: restrictionOf(world, position),
      raw_description: null,
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/business-rules/macros/ */
export function seededMacros(world: SupportWorld): SeededRecords {
  return settings(world, 'macros', (position) => {
    const title = `${pick(['Close', 'Escalate', 'Ask back', 'Réponse'], position)}::macro ${String(position + 1)}`;
    return {
      title,
      raw_title: title,
      active: position % 9 !== 4,
      default: false,
      position: (position * 7) % world.counts.macros,
      description: position % 4 === 0 ? null : 'For the usual cases',
      actions: [
        { field: 'status', value: 'solved' },
        { field: 'comment_value', value: ['channel:all', 'Thank you & good-bye!'] },
      ],
      restriction: restrictionOf(world, position),
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/business-rules/triggers/ */
export function seededTriggers(world: SupportWorld): SeededRecords {
  return settings(world, 'triggers', (position) => {
    const title = `${pick(['Notify requester', 'Tag VIPs', 'Nachtschicht'], position)} ${String(position + 1)}`;
    return {
      title,
      raw_title: title,
      active: position % 5 !== 3,
      default: position === 0,
      position: position + 1,
      description: position % 2 === 0 ? null : 'Runs on every update',
      raw_description: null,
      category_id: String(500 + (position % 3)),
      conditions: {
        all: [{ field: 'update_type', operator: 'is', value: 'Create' }],
        any: [{ field: 'priority', operator: 'is', value: 'urgent' }],
      },
      actions: [{ field: 'notification_user', value: ['requester_id', 'Received', 'Hello {{x}}'] }],
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/business-rules/automations/ */
export function seededAutomations(world: SupportWorld): SeededRecords {
  return settings(world, 'automations', (position) => {
    const title = `Close after ${String(4 + position)} days`;
    return {
      title,
      raw_title: title,
      active: position % 4 !== 2,
      default: position === 0,
      position: world.counts.automations - position,
      conditions: {
        all: [{ field: 'SOLVED', operator: 'greater_than', value: String(96 + position * 24) }],
        any: [],
      },
      actions: [{ field: 'status', value: 'closed' }],
    };
  });
}

/** @see https://developer.zendesk.com/api-reference/ticketing/business-rules/sla_policies/ */
export function seededSlaPolicies(world: SupportWorld): SeededRecords {
  return settings(world, 'sla_policies', (position) => ({
    title: pick(['Urgent incidents', 'VIP', 'Everyone', 'Weekend'], position),
    description: 'How soon we answer',
    position: position + 1,
    filter: { all: [{ field: 'type', operator: 'is', value: 'incident' }], any: [] },
    policy_metrics: ['urgent', 'high', 'normal', 'low'].map((priority, nth) => ({
      priority,
      metric: 'first_reply_time',
      target: 30 * (nth + 1) * (position + 1),
      target_in_seconds: 1_800 * (nth + 1) * (position + 1),
      business_hours: nth > 1,
    })),
  }));
}

function settings(
  world: SupportWorld,
  entity: SettingsEntity,
  fields: (position: number, id: number) => ZendeskRecord,
): SeededRecords {
  const ids = world.ids[entity];
  const path = entity === 'sla_policies' ? 'slas/policies' : entity;
  return {
    count: world.counts[entity],
    positionOf: (id) => ids.positionOf(id),
    recordAt: (position) => {
      const id = ids.idAt(position);
      const createdAt = world.setUpAt(position);
      return {
        url: `${world.apiUrl}/${path}/${String(id)}.json`,
        id,
        ...fields(position, id),
        created_at: isoTime(createdAt),
        updated_at: isoTime(createdAt + ((position * 37) % 11) * 86_400),
      };
    },
  };
}

/** Who may use a setting: everyone (null), one group, or one user. */
function restrictionOf(world: SupportWorld, position: number): ZendeskRecord | null {
  if (position % 4 === 1) {
    const id = groupIdOf(world, position);
    return { type: 'Group', id, ids: [id] };
  }
  return position % 4 === 3 ? { type: 'User', id: world.ids.users.idAt(0) } : null;
}

function titleCase(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
