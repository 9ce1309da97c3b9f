import { Icon } from '../parts/icon.tsx';
import { Link } from '../routing/link.tsx';
import { usePlace } from '../routing/location.ts';
import { PAGES } from './pages.ts';

/** The pages that one goes to from anywhere. */
export function Navigation() {
  const { path } = usePlace();
  return (
    <nav aria-label="Pages" className="navigation">
      {PAGES.map(({ navigation, title }) => {
        if (navigation === undefined) return null;
        const { icon, to } = navigation;
        const isHere = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
        return (
          <Link key={to} to={to} aria-current={isHere ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
          </Link>
        );
      })}
    </nav>
  );
}
