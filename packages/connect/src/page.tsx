import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { outcomeOf, tellOpener } from './leaving.ts';
import { Alert } from './parts/alert.tsx';
import { Frame } from './parts/frame.tsx';
import { ChooseKind } from './screens/choose-kind.tsx';
import { ConnectForm } from './screens/connect-form.tsx';
import { Connected } from './screens/connected.tsx';
import { Expired } from './screens/expired.tsx';
import { Open } from './screens/open.tsx';
import { Unconfirmed } from './screens/unconfirmed.tsx';
import type { ConnectKind, ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from './texts/texts.ts';
import { useSession, type Session } from './use-session.ts';

/** The connect page: one link, one session, from choosing to done. */
export function Page() {
  const session = useSession();
  const { state, reload } = session;
  const choice = useState<Choice>(undefined);
  const view = state.at === 'there' ? state.view : undefined;
  useNews(view);
  const { heading, between, body } = screenOf(session, choice);
  return (
    <>
      {state.at === 'there' && state.isLost && (
        <Alert title={texts.lostTitle}>
          <p>{texts.lostRetrying}</p>
          <button type="button" class="quiet" onClick={() => void reload()}>
            {texts.tryAgain}
          </button>
        </Alert>
      )}
      <Frame view={view} heading={heading} between={between}>
        {body}
      </Frame>
    </>
  );
}

/** The kind that was chosen here; `null` to choose anew, `undefined` where the session knows it. */
type Choice = string | null | undefined;
type ChoiceState = readonly [Choice, (choice: Choice) => void];

/** What is shown of a state. */
interface Screen {
  readonly heading: string;
  readonly between?: string;
  readonly body: ComponentChildren;
}

function screenOf(session: Session, choice: ChoiceState): Screen {
  const { state, reload } = session;
  switch (state.at) {
    case 'loading':
      return { heading: texts.loading, body: null };
    case 'nowhere':
      return { heading: texts.noLinkTitle, body: <p>{texts.noLink}</p> };
    case 'refused': {
      const { code, detail } = state.refusal.problem;
      return {
        heading: texts.refusedTitles[code] ?? texts.refusedTitle,
        body: <p>{detail}</p>,
      };
    }
    case 'unreachable':
      return {
        heading: state.refusal === undefined ? texts.lostTitle : texts.laterTitle,
        body: (
          <>
            <p>{state.refusal?.problem.detail ?? texts.lost}</p>
            <button type="button" class="primary" onClick={() => void reload()}>
              {texts.tryAgain}
            </button>
          </>
        ),
      };
    case 'there':
      return screenOfView(state.view, session, choice);
  }
}

function screenOfView(view: ConnectPageSession, session: Session, choice: ChoiceState): Screen {
  const between = texts.between(view.application_name, view.user_label);
  switch (view.status) {
    case 'unconfirmed':
      return { heading: texts.unconfirmedTitle, between, body: <Unconfirmed view={view} /> };
    case 'succeeded':
      return {
        heading: texts.connectedTitle(nameOfKind(view)),
        between,
        body: <Connected view={view} />,
      };
    case 'expired':
      return { heading: texts.expiredTitle, between, body: <Expired view={view} /> };
    default:
      return openScreen(view, session, choice);
  }
}

function openScreen(
  view: ConnectPageSession,
  session: Session,
  [chosen, choose]: ChoiceState,
): Screen {
  const { kinds } = view;
  const type = chosen === undefined ? view.connector_type : chosen;
  const kind = kinds.length === 1 ? kinds[0] : kinds.find((each) => each.connector_type === type);
  // Whoever has chosen since has seen it.
  const error = chosen === undefined ? view.error : null;
  const chooseAnew = kind !== undefined && kinds.length > 1 ? () => choose(null) : undefined;
  return {
    heading: questionOf(view, kind),
    body: (
      <Open view={view} onChooseAnother={chooseAnew}>
        {kind === undefined ? (
          <ChooseKind
            kinds={kinds}
            error={error}
            onChoose={(each) => choose(each.connector_type)}
          />
        ) : (
          <ConnectForm
            key={kind.connector_type}
            view={view}
            kind={kind}
            error={error}
            onAnswer={session.take}
            onFailure={session.reload}
          />
        )}
      </Open>
    ),
  };
}

/** Who asks for what, for whom. */
function questionOf(view: ConnectPageSession, kind: ConnectKind | undefined): string {
  const { application_name: application, user_label: user, reconnects } = view;
  if (kind === undefined) return texts.asksForOne(application, user);
  const ask = reconnects ? texts.asksAgain : texts.asks;
  return ask(application, kind.display_name, user);
}

function nameOfKind({ kinds, connector_type: type }: ConnectPageSession): string {
  const kind = kinds.find(({ connector_type: each }) => each === type);
  return kind?.display_name ?? type ?? '';
}

/** Tells the page that opened this one whatever it has not been told, once. */
function useNews(view: ConnectPageSession | undefined): void {
  const told = useRef<string>(undefined);
  useEffect(() => {
    if (view === undefined || (view.status === 'open' && view.error === null)) return;
    const outcome = outcomeOf(view);
    const text = JSON.stringify(outcome);
    if (told.current === text) return;
    told.current = text;
    tellOpener(view, outcome);
  }, [view]);
}
