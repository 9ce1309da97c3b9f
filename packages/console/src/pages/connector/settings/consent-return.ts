import { tabAddress } from '../connector-address.ts';

/** Below the console's own path. It is one for all connectors, since applications list return URLs by their path. */
export const CONSENTED = '/consented';

/** Which connector it was that consent was asked for. */
const CONNECTOR = 'of';

/** Where a consent for a connector is to come back to, below the console's own path. */
export function consentAddress(connectorId: string): string {
  return `${CONSENTED}?${new URLSearchParams({ [CONNECTOR]: connectorId }).toString()}`;
}

/** Where the page of a connector says how a consent went, from the query that the service sent the browser back with. */
export function consentReturn(query: URLSearchParams): string {
  const id = query.get(CONNECTOR);
  if (id === null) return '/';
  const outcome = new URLSearchParams({ consent: query.get('error') ?? 'given' });
  return `${tabAddress(encodeURIComponent(id), 'settings')}&${outcome.toString()}`;
}
