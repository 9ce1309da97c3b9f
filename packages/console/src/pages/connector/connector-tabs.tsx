import { Link } from '../../routing/link.tsx';

const TABS = { syncs: 'Syncs', records: 'Records', settings: 'Settings' } as const;

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

/** The parts of the page: links, so that each can be kept, opened elsewhere and gone back to. */
export function ConnectorTabs({ id, tab }: { readonly id: string; readonly tab: Tab }) {
  return (
    <nav className="connector-tabs" aria-label="Parts of the connector">
      {Object.entries(TABS).map(([name, label]) => (
        <Link
          key={name}
          to={isTab(name) ? tabAddress(id, name) : ''}
          aria-current={name === tab ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

function isTab(name: string): name is Tab {
  return Object.hasOwn(TABS, name);
}
