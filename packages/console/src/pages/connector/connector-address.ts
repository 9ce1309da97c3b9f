/** The parts of a connector's page, and what they are called. */
export const TABS = { syncs: 'Syncs', records: 'Records', settings: 'Settings' } as const;

/** A part of the connector's page. */
export type Tab = keyof typeof TABS;

/** The part that an address names; the first one where it names none. */
export function tabIn(query: URLSearchParams): Tab {
  const named = query.get('tab') ?? '';
  return isTab(named) ? named : 'syncs';
}

/** The address of a part of a connector's page, below the console's own path. */
export function tabAddress(id: string, tab: Tab): string {
  return tab === 'syncs' ? `/connectors/${id}` : `/connectors/${id}?tab=${tab}`;
}

/** Where the copy of an entity is browsed, below the console's own path. */
export function recordsAddress(id: string, entity: string): string {
  return `${tabAddress(id, 'records')}&${new URLSearchParams({ entity }).toString()}`;
}

export function isTab(name: string): name is Tab {
  return Object.hasOwn(TABS, name);
}
