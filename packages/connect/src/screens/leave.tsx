import { useState } from 'preact/hooks';
import { hasOpener, tellOpener } from '../leaving.ts';
import { returnAddress, type Outcome } from '../return-address.ts';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';

/** The way back to the application, where there is one: the window closes, or shows its page. */
export function Leave({
  view,
  outcome,
  label,
  isPrimary,
}: {
  readonly view: ConnectPageSession;
  /** What the application is told. */
  readonly outcome: Outcome;
  readonly label: string;
  readonly isPrimary: boolean;
}) {
  const [hasClosed, setClosed] = useState(false);
  const address = returnAddress(view.return_url, outcome);
  const style = isPrimary ? 'primary' : 'quiet';
  if (hasOpener(view) && !hasClosed) {
    const close = () => {
      tellOpener(view, outcome);
      window.close();
      // Browsers close only what a script has opened.
      setClosed(true);
    };
    return (
      <button type="button" class={style} onClick={close}>
        {label}
      </button>
    );
  }
  if (address !== undefined)
    return (
      <a class={style} href={address}>
        {label}
      </a>
    );
  return isPrimary || hasClosed ? <p role="status">{texts.mayClose}</p> : null;
}
