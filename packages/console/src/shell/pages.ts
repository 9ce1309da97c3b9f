import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import type { IconName } from '../parts/icon.tsx';

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
  /** Loaded when it is first shown. */
  readonly component: LazyExoticComponent<ComponentType<PageProps>>;
}

/** All pages, in the order of the navigation: a new one is one entry more. */
export const PAGES: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Overview',
    navigation: { icon: 'list', to: '/' },
    component: lazy(async () => ({
      default: (await import('../pages/overview/overview-page.tsx')).OverviewPage,
    })),
  },
  {
    path: '/connectors/:id',
    title: 'Connector',
    component: lazy(async () => ({
      default: (await import('../pages/connector/connector-page.tsx')).ConnectorPage,
    })),
  },
  {
    path: '/explore',
    title: 'Explorer',
    navigation: { icon: 'play', to: '/explore' },
    component: lazy(async () => ({
      default: (await import('../pages/explorer/explorer-page.tsx')).ExplorerPage,
    })),
  },
  {
    path: '/search',
    title: 'Search',
    navigation: { icon: 'search', to: '/search' },
    component: lazy(async () => ({
      default: (await import('../pages/search/search-page.tsx')).SearchPage,
    })),
  },
  {
    path: '/new',
    title: 'New connector',
    navigation: { icon: 'plus', to: '/new' },
    component: lazy(async () => ({
      default: (await import('../pages/new-connector/new-connector-page.tsx')).NewConnectorPage,
    })),
  },
  {
    path: '/connect-link',
    title: 'Connect link',
    navigation: { icon: 'link', to: '/connect-link' },
    component: lazy(async () => ({
      default: (await import('../pages/connect-link/connect-link-page.tsx')).ConnectLinkPage,
    })),
  },
  {
    path: '/applications',
    title: 'Applications',
    navigation: { icon: 'key', to: '/applications' },
    component: lazy(async () => ({
      default: (await import('../pages/applications/applications-page.tsx')).ApplicationsPage,
    })),
  },
  {
    path: '/applications/:id',
    title: 'Application',
    component: lazy(async () => ({
      default: (await import('../pages/applications/application-page.tsx')).ApplicationPage,
    })),
  },
  {
    path: '/consented',
    title: 'Consent',
    component: lazy(async () => ({
      default: (await import('../pages/connector/settings/consented-page.tsx')).ConsentedPage,
    })),
  },
];
