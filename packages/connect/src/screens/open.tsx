import type { ComponentChildren } from 'preact';
import { declinedOutcome } from '../leaving.ts';
import type { ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';
import { Leave } from './leave.tsx';

/** What stands around everything that a person is asked, with the ways out. */
export function Open({
  view,
  onChooseAnother,
  children,
}: {
  readonly view: ConnectPageSession;
  /** Absent where there is nothing else. */
  readonly onChooseAnother: (() => void) | undefined;
  readonly children: ComponentChildren;
}) {
  const { application_name: application, expires_at: expiresAt } = view;
  return (
    <>
      <p class="aside">{texts.caution(application)}</p>
      {children}
      <div class="ways-out">
        {onChooseAnother !== undefined && (
          <button type="button" class="quiet" onClick={onChooseAnother}>
            {texts.chooseAnother}
          </button>
        )}
        <Leave
          view={view}
          outcome={declinedOutcome(view, texts.declinedMessage)}
          label={texts.cancel(application)}
          isPrimary={false}
        />
      </div>
      <p class="aside">{texts.validUntil(timeOf(expiresAt))}</p>
    </>
  );
}

function timeOf(instant: string): string {
  return new Date(instant).toLocaleTimeString(navigator.language, {
    hour: '2-digit',
    minute: '2-digit',
  });
}
