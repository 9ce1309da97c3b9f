import { entity, field, get } from '../../vocabulary/index.ts';
import { page } from './shared.ts';

/** @see docs/reference/support-chat.md#accounts */
export const accounts = entity({
  name: 'accounts',
  doc: 'The account that the credentials belong to.',
  reference: page('accounts'),
  key: 'account_key',
  record: {
    account_key: field.string('Key that the chat widget carries.', { always: true }),
    status: field.string('State of the account.'),
    create_date: field.string('Creation.'),
    billing: field.freeForm('Name and address on the bill.'),
    plan: field.freeForm('What the plan allows, and its price.'),
  },
  actions: {
    get: get({
      doc: 'Reads the account.',
      reference: page('accounts'),
      request: 'GET /account',
      params: {},
      record: '$',
    }),
  },
});
