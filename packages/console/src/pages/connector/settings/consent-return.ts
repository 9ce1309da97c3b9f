import { addressOf } from '../../../routing/location.ts';
import { tabAddress } from '../connector-address.ts';

/** Below the console's own path. It is one for all connectors, since applications list return URLs by their path. */
const CONSENTED = '/consented';

/** Which connector it was that consent was asked for; of a new one there is none yet. */
const CONNECTOR = 'of';
/** What is taken of what the service tells of a consent: docs/wire.md#oauth-consent. */
const TOLD = ['connector_id', 'error'];

/** The return URL of every consent that begins in this console, which its application has to allow. */
export function consentedUrl(): string {
  return new URL(addressOf(CONSENTED), location.origin).href;
}

/** The machine itself, as browsers spell it. */
const OWN_MACHINE = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a list of return URLs that is empty may allow ours: of addresses of this machine alone it does. */
export function mayGoUnlisted(): boolean {
  return OWN_MACHINE.test(location.hostname);
}

/** Where a consent for a connector is to come back to, below the console's own path. */
export function consentAddress(connectorId: string): string {
  return `${CONSENTED}?${new URLSearchParams({ [CONNECTOR]: connectorId }).toString()}`;
}

/** Where it is said how a consent went, from the query that the service sent the browser back with. */
export function consentReturn(query: URLSearchParams): string {
  const id = query.get(CONNECTOR);
  if (id === null)
    return `/new?${new URLSearchParams([...query].filter(([name]) => TOLD.includes(name))).toString()}`;
  const outcome = new URLSearchParams({ consent: query.get('error') ?? 'given' });
  return `${tabAddress(encodeURIComponent(id), 'settings')}&${outcome.toString()}`;
}
