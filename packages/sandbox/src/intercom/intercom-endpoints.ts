import type { Endpoint } from './endpoint.ts';
import {
  listCompanies,
  retrieveCompanies,
  scrollCompanies,
  showCompany,
} from './endpoints/companies.ts';
import { listContacts, searchContacts, showContact } from './endpoints/contacts.ts';
import {
  listConversations,
  searchConversations,
  showConversation,
} from './endpoints/conversations.ts';
import {
  identifyAdmin,
  listAdmins,
  listSegments,
  listTags,
  listTeams,
  showAdmin,
  showSegment,
  showTag,
  showTeam,
} from './endpoints/directory.ts';
import { exchangeCode, uninstallApp } from './endpoints/oauth.ts';

const ENDPOINTS: readonly Endpoint[] = [
  exchangeCode,
  identifyAdmin,
  listAdmins,
  listCompanies,
  listContacts,
  listConversations,
  listSegments,
  listTags,
  listTeams,
  retrieveCompanies,
  scrollCompanies,
  searchContacts,
  searchConversations,
  showAdmin,
  showCompany,
  showContact,
  showConversation,
  showSegment,
  showTag,
  showTeam,
  uninstallApp,
];

const BY_NAME: ReadonlyMap<string, Endpoint> = new Map(
  ENDPOINTS.map((endpoint) => [endpointName(endpoint), endpoint]),
);

/** An endpoint with the id from the request's path; the id is empty where the path has none. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly id: string;
}

/** The name of an endpoint, such as `GET /contacts/{id}`. */
export function endpointName({ verb, path }: Pick<Endpoint, 'verb' | 'path'>): string {
  return `${verb} ${path}`;
}

/** The endpoint that answers a path below the base URL; paths without an id are tried first. */
export function findRoute(verb: string, path: string): Route | undefined {
  const fixed = BY_NAME.get(`${verb} /${path}`);
  if (fixed !== undefined) return { endpoint: fixed, id: '' };
  const [name = '', id, ...rest] = path.split('/');
  if (id === undefined || id === '' || rest.length > 0) return undefined;
  const endpoint = BY_NAME.get(`${verb} /${name}/{id}`);
  return endpoint === undefined ? undefined : { endpoint, id: decoded(id) };
}

/** Says whether the path exists with another verb. */
export function hasOtherVerb(path: string): boolean {
  return findRoute('GET', path) !== undefined || findRoute('POST', path) !== undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
