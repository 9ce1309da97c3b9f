import { entity, field } from '../../vocabulary/index.ts';
import { conditionsMembers, getById, numberedList, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/business-rules/sla_policies');

export const slaPolicies = entity({
  name: 'sla_policies',
  doc: 'Agreed times for replies and solutions.',
  reference,
  record: {
    id: field.integer('Policy id.', { always: true }),
    url,
    title: field.string('Title.'),
    description: field.string('Description.'),
    position: field.integer('Place among the policies; the first that fits counts.'),
    filter: field.object('What tickets it is for.', conditionsMembers),
    policy_metrics: field.array('Targets by priority.', {
      priority: 'string',
      metric: 'string',
      target: 'integer',
      business_hours: 'boolean',
    }),
    ...timestamps,
  },
  actions: {
    list: numberedList(reference, 'GET /slas/policies.json', {
      doc: 'Lists SLA policies.',
      records: 'sla_policies',
    }),
    get: getById(reference, 'GET /slas/policies/{sla_policy_id}.json', 'sla_policy'),
  },
});
