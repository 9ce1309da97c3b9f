import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readAccent } from '../accent.ts';
import { webAddress } from '../return-address.ts';
import type { ConnectPageSession } from '@patchbay/connectors/wire';

/**
 * What all screens have: whose page it is, a heading, and for whom something is connected. A new
 * heading gets the focus, so that nobody misses that the screen has changed.
 */
export function Frame({
  view,
  heading,
  between,
  children,
}: {
  readonly view: ConnectPageSession | undefined;
  readonly heading: string;
  /** Says who asks for whom, where the heading does not. */
  readonly between: string | undefined;
  readonly children: ComponentChildren;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useAccent(view?.branding ?? null);
  useEffect(() => {
    document.title = heading;
    if (isFirst.current) isFirst.current = false;
    else title.current?.focus();
  }, [heading]);
  return (
    <main class="card">
      {view?.branding != null && <Brand branding={view.branding} />}
      <h1 tabIndex={-1} ref={title}>
        {heading}
      </h1>
      {between !== undefined && <p class="aside">{between}</p>}
      {children}
    </main>
  );
}

function Brand({
  branding: { name, logo_url: logoUrl },
}: {
  readonly branding: NonNullable<ConnectPageSession['branding']>;
}) {
  const [isBroken, setBroken] = useState(false);
  const logo = webAddress(logoUrl);
  const hasLogo = logo?.protocol === 'https:' && !isBroken;
  return (
    <p class="brand">
      {hasLogo && (
        <img
          src={logo.href}
          alt=""
          width="24"
          height="24"
          referrerpolicy="no-referrer"
          onError={() => setBroken(true)}
        />
      )}
      {name}
    </p>
  );
}

/**
 * Set before anything is painted, and as properties, which the policy of the page allows, where it forbids style
 * attributes.
 */
function useAccent(branding: ConnectPageSession['branding']): void {
  const accent = branding?.accent ?? null;
  useLayoutEffect(() => {
    const colours = readAccent(accent);
    if (colours === undefined) return;
    const { style } = document.documentElement;
    style.setProperty('--accent', colours.fill);
    style.setProperty('--on-accent', colours.text);
  }, [accent]);
}
