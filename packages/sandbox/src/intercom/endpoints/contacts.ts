import type { Endpoint } from '../endpoint.ts';
import { IntercomError } from '../intercom-error.ts';
import { listByCursor } from '../listing.ts';
import type { ListShape } from '../paging.ts';
import { contactFields } from '../search-fields.ts';
import { search } from '../search.ts';

const CONTACT_LIST: ListShape = { type: 'list', records: 'data', nextAtEnd: 'absent' };
const DEFAULT_PER_PAGE = 50;

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/listcontacts */
export const listContacts: Endpoint = {
  verb: 'GET',
  path: '/contacts',
  pages: true,
  run: (call) => {
    const { contacts } = call.workspace;
    return listByCursor(call, {
      collection: contacts,
      shape: CONTACT_LIST,
      defaultPerPage: DEFAULT_PER_PAGE,
      towards: 'older',
    });
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/showcontact */
export const showContact: Endpoint = {
  verb: 'GET',
  path: '/contacts/{id}',
  pages: false,
  run: ({ workspace, id }) => {
    const contact = workspace.contacts.find(id);
    if (contact === undefined) throw new IntercomError(404, 'not_found', 'User Not Found');
    return { body: contact };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/contacts/searchcontacts */
export const searchContacts: Endpoint = {
  verb: 'POST',
  path: '/contacts/search',
  pages: true,
  run: (call) => {
    const { contacts, contactSearches } = call.workspace;
    return search(call, {
      collection: contacts,
      results: contactSearches,
      rules: { findField: contactFields(contacts), dates: 'day' },
      shape: CONTACT_LIST,
      defaultPerPage: DEFAULT_PER_PAGE,
    });
  },
};
