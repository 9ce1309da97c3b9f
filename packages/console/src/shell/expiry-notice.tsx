import { Button } from '@mantine/core';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/use-now.ts';
import { countText, timeOfDay } from '../parts/words.ts';
import { useSession, WARNED_MS } from '../session/use-session.tsx';

const TICK_MS = 15_000;

/** Says that the session ends soon, while there is time to finish. */
export function ExpiryNotice({ expiresAt }: { readonly expiresAt: string }) {
  const { end } = useSession();
  const leftMs = Date.parse(expiresAt) - useNow(TICK_MS);
  if (leftMs > WARNED_MS) return null;
  const minutes = Math.max(1, Math.ceil(leftMs / 60_000));
  return (
    <Notice tone="warning" title={`Your session ends at ${timeOfDay(expiresAt)}`}>
      <p>
        That is in {countText(minutes, 'minute')}. Sign in again in this tab, now or then: what you
        have entered stays.
      </p>
      <Button size="compact-sm" variant="default" onClick={end}>
        Sign in again
      </Button>
    </Notice>
  );
}
