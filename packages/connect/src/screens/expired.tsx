import { hasOpener, outcomeOf } from '../leaving.ts';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';
import { Leave } from './leave.tsx';

/** The time of the link is over. */
export function Expired({ view }: { readonly view: ConnectPageSession }) {
  const { application_name: application } = view;
  const label = hasOpener(view) ? texts.close : texts.back(application);
  return (
    <>
      <p>{texts.expired(application)}</p>
      <Leave view={view} outcome={outcomeOf(view)} label={label} isPrimary />
    </>
  );
}
