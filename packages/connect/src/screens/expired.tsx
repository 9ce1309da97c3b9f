import { hasOpener, outcomeOf } from '../leaving.ts';
import type { SessionView } from '../session-view.ts';
import { texts } from '../texts/texts.ts';
import { Leave } from './leave.tsx';

/** The time of the link is over. */
export function Expired({ view }: { readonly view: SessionView }) {
  const { application_name: application } = view;
  const label = hasOpener(view) ? texts.close : texts.back(application);
  return (
    <>
      <p>{texts.expired(application)}</p>
      <Leave view={view} outcome={outcomeOf(view)} label={label} isPrimary />
    </>
  );
}
