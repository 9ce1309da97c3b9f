import { useEffect } from 'react';
import type { OtherTabs } from './other-tabs.ts';

/** As long as the service keeps a session that nobody uses. */
const UNATTENDED_MS = 60 * 60_000;
const LOOK_EVERY_MS = 30_000;
/** Other tabs are told of use no oftener. */
const TELL_EVERY_MS = 60_000;
/** Signs of somebody who is there. */
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * Calls back where nobody has been there for an hour, in this tab and the others: a page that is left open reads on by
 * itself, which the service cannot tell from use.
 */
export function useUnattended(
  isSignedIn: boolean,
  tabs: OtherTabs,
  onUnattended: () => void,
): void {
  useEffect(() => {
    if (!isSignedIn) return undefined;
    let usedAt = Date.now();
    let toldAt = usedAt;
    tabs.tell('used');
    const onSign = () => {
      usedAt = Date.now();
      if (usedAt - toldAt < TELL_EVERY_MS) return;
      toldAt = usedAt;
      tabs.tell('used');
    };
    const leave = tabs.on('used', () => {
      usedAt = Date.now();
    });
    for (const sign of SIGNS) window.addEventListener(sign, onSign, { passive: true });
    const looking = setInterval(() => {
      if (Date.now() - usedAt >= UNATTENDED_MS) onUnattended();
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(looking);
      for (const sign of SIGNS) window.removeEventListener(sign, onSign);
      leave();
    };
  }, [isSignedIn, tabs, onUnattended]);
}
