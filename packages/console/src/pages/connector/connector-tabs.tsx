import { Link } from '../../routing/link.tsx';
import { isTab, tabAddress, TABS, type Tab } from './connector-address.ts';

/** The parts of the page: links, so that each can be kept, opened elsewhere and gone back to. */
export function ConnectorTabs({ id, tab }: { readonly id: string; readonly tab: Tab }) {
  const names = Object.keys(TABS).filter(isTab);
  return (
    <nav className="connector-tabs" aria-label="Parts of the connector">
      {names.map((name) => (
        <Link key={name} to={tabAddress(id, name)} aria-current={name === tab ? 'page' : undefined}>
          {TABS[name]}
        </Link>
      ))}
    </nav>
  );
}
