/** The parts of an application's page, and what they are called. */
export const TABS = {
  settings: 'Settings',
  secrets: 'Secrets and tokens',
  sessions: 'Connect sessions',
} as const;

/** A part of the application's page. */
export type Tab = keyof typeof TABS;

/** The part that an address names; the first one where it names none. */
export function tabIn(query: URLSearchParams): Tab {
  const named = query.get('tab') ?? '';
  return isTab(named) ? named : 'settings';
}

/** The address of a part of an application's page, below the console's own path. */
export function applicationAddress(id: string, tab: Tab = 'settings'): string {
  return tab === 'settings' ? `/applications/${id}` : `/applications/${id}?tab=${tab}`;
}

export function isTab(name: string): name is Tab {
  return Object.hasOwn(TABS, name);
}
