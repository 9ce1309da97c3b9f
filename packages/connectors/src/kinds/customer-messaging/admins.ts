import { entity, field } from '../../vocabulary/index.ts';
import { one, page, wholeList } from './shared.ts';

/** @see docs/reference/customer-messaging.md#admins */
export const admins = entity({
  name: 'admins',
  doc: 'People who work in the workspace.',
  reference: page('admins'),
  record: {
    type: field.string('Always admin.'),
    id: field.string('Admin id.', { always: true }),
    name: field.string('Name.'),
    email: field.string('E-mail address.'),
    email_verified: field.boolean('The e-mail address is confirmed.'),
    job_title: field.string('Job title.'),
    away_mode_enabled: field.boolean('Is away.'),
    away_mode_reassign: field.boolean('New replies go to the inbox of all while away.'),
    has_inbox_seat: field.boolean('May use the inbox.'),
    team_ids: field.integers('Ids of the teams of the admin.'),
    avatar: field.freeForm('Picture.', { type: 'string', image_url: 'string' }),
  },
  actions: {
    list: wholeList('admins', 'admins/listadmins', {
      records: 'admins',
      constants: { display_avatar: true },
    }),
    get: one('admins', 'admins/retrieveadmin', ['activity_logs']),
  },
});
