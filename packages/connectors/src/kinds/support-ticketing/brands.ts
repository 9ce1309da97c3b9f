import { entity, field, searchable } from '../../vocabulary/index.ts';
import { attachmentMembers, cursorList, getById, page, timestamps, url } from './shared.ts';

const reference = page('ticketing/account-configuration/brands');

const record = {
  id: field.integer('Brand id.', { always: true }),
  url,
  name: field.string('Name.'),
  brand_url: field.string('Address of the brand.'),
  subdomain: field.string('Subdomain at Zendesk.'),
  host_mapping: field.string('Own domain.'),
  has_help_center: field.boolean('Has a help center.'),
  help_center_state: field.string('State of the help center: enabled, disabled or restricted.'),
  active: field.boolean('Is in use.'),
  default: field.boolean('Is the default brand.'),
  is_deleted: field.boolean('Has been deleted.'),
  logo: field.object('Logo, as an attachment.', attachmentMembers),
  ticket_form_ids: field.array('Ids of its ticket forms.', 'integer'),
  signature_template: field.string('Template of the signature.'),
  ...timestamps,
} as const;

export const brands = entity({
  name: 'brands',
  doc: 'Brands that the account serves customers under.',
  reference,
  record,
  actions: {
    list: cursorList(reference, 'GET /brands.json', { doc: 'Lists brands.' }),
    get: getById(reference, 'GET /brands/{brand_id}.json', 'brand'),
  },
  search: searchable(record, {
    only: {
      logo: field.string('Logo.'),
    },
    sortable: ['id', 'name', 'created_at', 'updated_at'],
    text: ['name', 'brand_url', 'subdomain', 'host_mapping', 'signature_template'],
  }),
});
