import { useEffect } from 'preact/hooks';
import { hasOpener, outcomeOf } from '../leaving.ts';
import { returnAddress } from '../return-address.ts';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';

/**
 * The application's backend has to confirm. Where it waits for the person to come back, and nobody
 * else can tell it, the page goes there at once.
 */
export function Unconfirmed({ view }: { readonly view: ConnectPageSession }) {
  const outcome = outcomeOf(view);
  const address = returnAddress(view.return_url, outcome);
  const isAwaited = !hasOpener(view);
  useEffect(() => {
    if (address !== undefined && isAwaited) goBackOnce(address);
  }, [address, isAwaited]);
  const { application_name: application } = view;
  return (
    <>
      <p>{texts.unconfirmedDoc(application)}</p>
      <p class="busy" role="status">
        {texts.unconfirmed(application)}
      </p>
      {address !== undefined && (
        <a class={isAwaited ? 'primary' : 'quiet'} href={address}>
          {texts.back(application)}
        </a>
      )}
    </>
  );
}

/** Whoever comes to this page again, by the browser's button, wants to see it. */
function goBackOnce(address: string): void {
  if (isRecord(history.state) && history.state['hasReturned'] === true) return;
  history.replaceState({ hasReturned: true }, '');
  location.assign(address);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
