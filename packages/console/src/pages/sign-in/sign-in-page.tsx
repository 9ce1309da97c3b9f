import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/PasswordInput.css';
import { Button, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Notice } from '../../parts/notice.tsx';
import { failureOf, type Failure } from '../../service/failure.ts';
import type { SignIn } from '../../session/session-api.ts';
import { useSession } from '../../session/use-session.tsx';

type Who = 'operator' | 'application';

/** Asks for the operator's key, or for the client id and secret of an application. */
export function SignInPage({ reason }: { readonly reason: string | undefined }) {
  const { signIn } = useSession();
  const [who, setWho] = useState<Who>('operator');
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsBusy(true);
    signIn(credentialsIn(event.currentTarget, who)).catch((error: unknown) => {
      setFailure(failureOf(error));
      setIsBusy(false);
    });
  };
  return (
    <main className="alone">
      <h1>Sign in to Patchbay</h1>
      {failure === undefined ? (
        reason !== undefined && <Notice tone="warning" title={reason} />
      ) : (
        <FailureNotice failure={failure} />
      )}
      <SegmentedControl<Who>
        aria-label="Sign in as"
        fullWidth
        value={who}
        onChange={(value) => setWho(value)}
        data={[
          { value: 'operator', label: 'Operator' },
          { value: 'application', label: 'Application' },
        ]}
      />
      <form key={who} className="form" onSubmit={submit}>
        {who === 'operator' ? <OperatorField /> : <ApplicationFields />}
        <Button type="submit" loading={isBusy}>
          Sign in
        </Button>
      </form>
      <p className="dim">
        `npm start` prints a link, too, that signs you in once, for 30 minutes from then on.
      </p>
    </main>
  );
}

function OperatorField() {
  return (
    <PasswordInput
      name="operator_key"
      label="Operator's key"
      description="That of PATCHBAY_OPERATOR_KEY, or of the file ending in .operator.key beside the data folder."
      autoComplete="off"
      required
      autoFocus
    />
  );
}

function ApplicationFields() {
  return (
    <>
      <TextInput name="client_id" label="Client id" autoComplete="off" required autoFocus />
      <PasswordInput name="client_secret" label="Client secret" autoComplete="off" required />
    </>
  );
}

function credentialsIn(form: HTMLFormElement, who: Who): SignIn {
  const data = new FormData(form);
  const text = (name: string) => {
    const value = data.get(name);
    // Nobody means the blanks around what they paste.
    return typeof value === 'string' ? value.trim() : '';
  };
  return who === 'operator'
    ? { operator_key: text('operator_key') }
    : { client_id: text('client_id'), client_secret: text('client_secret') };
}
