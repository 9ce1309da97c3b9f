import type { CallRow } from '../call.ts';

const USERS = { of: 'slack', operation: 'users.list', params: { limit: 1 } } as const;

/** Whose connector it is, what the token may do, and what state the connector is in. */
export const REACH: readonly CallRow[] = [
  { ...USERS, name: 'of no connector', target: 'absent', expect: 'connector_not_found' },
  { ...USERS, name: "of someone else's", target: 'foreign', expect: 'connector_not_found' },
  { ...USERS, name: 'with a token that may read', access: 'read' },
  {
    name: 'with a token that may read',
    of: 'slack',
    operation: 'messages.create',
    params: { channel: 'C1', text: 'hello' },
    access: 'read',
    expect: 'forbidden',
  },
  {
    name: 'wrong params with a token that may read',
    of: 'slack',
    operation: 'messages.update',
    params: {},
    access: 'read',
    expect: 'forbidden',
  },
  { ...USERS, name: 'of one that is paused', target: 'paused' },
  {
    name: 'of one that is paused',
    of: 'slack',
    operation: 'sync',
    target: 'paused',
    expect: 'connector_paused',
  },
  {
    name: 'of no connector',
    of: 'slack',
    operation: 'sync',
    target: 'absent',
    expect: 'connector_not_found',
  },
  {
    ...USERS,
    name: 'with credentials that the upstream refuses',
    target: 'rejected',
    expect: 'credentials_rejected',
  },
  {
    ...USERS,
    name: 'with credentials that it has refused',
    target: 'rejected',
    expect: 'reauth_required',
    notBy: { library: 'It keeps no state, and so asks the upstream again.' },
  },
  {
    name: 'wrong params with credentials that it has refused',
    of: 'slack',
    operation: 'users.get',
    target: 'rejected',
    params: {},
    expect: 'invalid_params',
    faults: ['params.user'],
  },
  {
    name: 'with credentials that it has refused',
    of: 'slack',
    operation: 'users.search',
    target: 'rejected',
    params: { query: {}, limit: 1 },
    expect: 'search_not_ready',
  },
  {
    name: 'with credentials that it has refused',
    of: 'slack',
    operation: 'sync',
    target: 'rejected',
    expect: 'reauth_required',
  },
];
