import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/PasswordInput.css';
import '../applications.css';
import { Button, PasswordInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { useAttempt } from '../../../parts/use-attempt.ts';
import { timeOfDay } from '../../../parts/words.ts';
import { serverNow } from '../../../service/server-clock.ts';
import { useService } from '../../../service/service.tsx';
import { useSignedIn } from '../../../session/use-session.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Ends a token before its time. It leaves the page as soon as it has been sent. */
export function RevokeToken() {
  const service = useService();
  const { role } = useSignedIn();
  const { isBusy, failure, run } = useAttempt();
  const [revokedAt, setRevokedAt] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form).get('token');
    const text = typeof given === 'string' ? given.trim() : '';
    form.reset();
    setRevokedAt(undefined);
    if (text === '') return;
    run(async () => {
      const body = UUID.test(text) ? { jti: text } : { token: text };
      await service.request('POST', '/v1/tokens/revoke', { body });
      setRevokedAt(new Date(serverNow()).toISOString());
    });
  };
  return (
    <section className="application-section" aria-labelledby="revocation">
      <h2 id="revocation">Revoke a token</h2>
      <p className="dim">
        {role === 'operator'
          ? 'Of any application, or of the operator.'
          : 'Its own application tokens, and scoped tokens of its users.'}{' '}
        Every process refuses it within a second; calls under way go on.
      </p>
      <form className="application-told" onSubmit={submit}>
        <PasswordInput
          name="token"
          label="Token, or its id (jti)"
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Button type="submit" color="red" variant="outline" loading={isBusy}>
          Revoke
        </Button>
      </form>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {revokedAt !== undefined && (
        <Notice tone="success" title={`Revoked at ${timeOfDay(revokedAt)}.`}>
          <p>
            The service says the same of a token that had ended, that it does not know, or that you
            may not revoke: nothing has changed then.
          </p>
        </Notice>
      )}
    </section>
  );
}
