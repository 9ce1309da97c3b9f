import { useEffect, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../routing/link.tsx';
import { usePlace } from '../routing/location.ts';
import { PAGES } from './pages.ts';

/** The pages that one goes to from anywhere. */
export function Navigation() {
  const { path } = usePlace();
  const nav = useRef<HTMLElement>(null);
  // In a narrow window it is one line, not all of which is in sight.
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>('[aria-current]');
    here?.parentElement?.scrollTo({ left: here.offsetLeft - here.offsetWidth });
  }, [path]);
  return (
    <nav ref={nav} aria-label="Pages" className="navigation">
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
