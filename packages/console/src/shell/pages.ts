import type { IconName } from '../parts/icon.tsx';
import { loadable, type Loadable } from '../parts/loadable.tsx';
import { matchPath } from '../routing/match-path.ts';

/** What a page is given of its address. */
export interface PageProps {
  /** The parts of the path that its pattern names. */
  readonly params: Readonly<Record<string, string>>;
}

/** A page of the console. */
export interface PageEntry {
  /** Below the console's own path: `/connectors/:id`. */
  readonly path: string;
  /** What the window is called. */
  readonly title: string;
  /** How the navigation shows it; a page without is reached from another one. */
  readonly navigation?: { readonly icon: IconName; readonly to: string };
  readonly content: Loadable<PageProps>;
}

/** All pages, in the order of the navigation: a new one is one entry more. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Overview',
    navigation: { icon: 'list', to: '/' },
    content: loadable(
      async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage,
    ),
  },
  {
    path: '/connectors/:id',
    title: 'Connector',
    content: loadable(
      async () => (await import('../pages/connector/connector-page.tsx')).ConnectorPage,
    ),
  },
  {
    path: '/explore',
    title: 'Explorer',
    navigation: { icon: 'play', to: '/explore' },
    content: loadable(
      async () => (await import('../pages/explorer/explorer-page.tsx')).ExplorerPage,
    ),
  },
  {
    path: '/search',
    title: 'Search',
    navigation: { icon: 'search', to: '/search' },
    content: loadable(async () => (await import('../pages/search/search-page.tsx')).SearchPage),
  },
  {
    path: '/new',
    title: 'New connector',
    navigation: { icon: 'plus', to: '/new' },
    content: loadable(
      async () => (await import('../pages/new-connector/new-connector-page.tsx')).NewConnectorPage,
    ),
  },
  {
    path: '/connect-link',
    title: 'Connect link',
    navigation: { icon: 'link', to: '/connect-link' },
    content: loadable(
      async () => (await import('../pages/connect-link/connect-link-page.tsx')).ConnectLinkPage,
    ),
  },
  {
    path: '/applications',
    title: 'Applications',
    navigation: { icon: 'key', to: '/applications' },
    content: loadable(
      async () => (await import('../pages/applications/applications-page.tsx')).ApplicationsPage,
    ),
  },
  {
    path: '/applications/:id',
    title: 'Application',
    content: loadable(
      async () => (await import('../pages/applications/application-page.tsx')).ApplicationPage,
    ),
  },
  {
    path: '/consented',
    title: 'Consent',
    content: loadable(
      async () => (await import('../pages/connector/settings/consented-page.tsx')).ConsentedPage,
    ),
  },
];

/** A page, and what its address says to it. */
export interface FoundPage extends PageProps {
  readonly page: PageEntry;
}

/** The page at a path below the console's own. */
export function pageAt(path: string): FoundPage | undefined {
  for (const page of PAGES) {
    const params = matchPath(page.path, path);
    if (params !== undefined) return { page, params };
  }
  return undefined;
}
