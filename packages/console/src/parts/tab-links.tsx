import { Link } from '../routing/link.tsx';

interface Tab {
  readonly label: string;
  readonly to: string;
  readonly isHere: boolean;
}

/** The parts of a page that have an address each. */
export function TabLinks({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
}) {
  return (
    <nav aria-label={label} className="tabs">
      {tabs.map(({ label: name, to, isHere }) => (
        <Link key={to} to={to} className="tab" aria-current={isHere ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
