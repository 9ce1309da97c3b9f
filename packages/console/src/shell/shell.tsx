import { lazy, Suspense, useLayoutEffect, type SyntheticEvent } from 'react';
import { Loading } from '../parts/loading.tsx';
import { pathOf, usePlace } from '../routing/location.ts';
import { Link } from '../routing/link.tsx';
import type { ConsoleSession } from '../session/session-api.ts';
import { AccountBar } from './account-bar.tsx';
import { ExpiryNotice } from './expiry-notice.tsx';
import { useFocusOnPage } from './focus-keeper.ts';
import { Navigation } from './navigation.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { pageAt } from './pages.ts';
import { useShortcuts } from './shortcuts.ts';

const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
}));

interface Props {
  readonly session: ConsoleSession;
  readonly applicationName: string;
  /** Where there is another application to work with. */
  readonly onChangeApplication?: (() => void) | undefined;
}

/** Navigation, and the page that the address names. */
export function Shell({ session, applicationName, onChangeApplication }: Props) {
  const [areKeysShown, showKeys] = useShortcuts();
  return (
    <div className="shell" onPointerOver={loadLinked} onFocus={loadLinked}>
      <aside className="shell-side" aria-label="Console">
        <SkipButton />
        <Link to="/" className="shell-name">
          Patchbay
        </Link>
        <Navigation />
        <AccountBar
          session={session}
          applicationName={applicationName}
          onChangeApplication={onChangeApplication}
          onShowKeys={() => showKeys(true)}
        />
      </aside>
      <main id="page" className="shell-page" tabIndex={-1}>
        <ExpiryNotice expiresAt={session.expires_at} />
        <CurrentPage />
      </main>
      {areKeysShown && (
        <Suspense>
          <ShortcutsDialog onClose={() => showKeys(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** What a link leads to is loaded while somebody is about to follow it. */
function loadLinked({ target }: SyntheticEvent): void {
  const link = target instanceof Element ? target.closest('a') : null;
  if (link?.origin === location.origin) pageAt(pathOf(link.pathname))?.page.content.loadAhead();
}

/** The way past the navigation, for whoever has no pointer. */
function SkipButton() {
  return (
    <button
      type="button"
      className="skip"
      onClick={() => document.querySelector<HTMLElement>('#page')?.focus()}
    >
      Skip to the page
    </button>
  );
}

function CurrentPage() {
  const { path } = usePlace();
  const found = pageAt(path);
  const title = found?.page.title ?? 'Not found';
  // Before a page says more of itself, also where it is shown again.
  useLayoutEffect(() => {
    document.title = `${title} · Patchbay`;
  }, [title]);
  const key = `${found?.page.path ?? path} ${found?.params['id'] ?? ''}`;
  useFocusOnPage(key);
  if (found === undefined)
    return (
      <>
        <h1>There is no such page</h1>
        <p>
          <Link to="/">Go to the overview</Link>
        </p>
      </>
    );
  const { Component: Page } = found.page.content;
  return (
    <PageBoundary key={key}>
      <Suspense fallback={<Loading what="the page" />}>
        <Page params={found.params} />
      </Suspense>
    </PageBoundary>
  );
}
