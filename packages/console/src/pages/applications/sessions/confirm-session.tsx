import { Button } from '@mantine/core';
import type { ConnectSessionInfo } from '@patchbay/client';
import { Dialog } from '../../../parts/dialog.tsx';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { GivenName } from '../../../parts/given-name.tsx';
import { useFailure } from '../../../service/use-failure.ts';
import { useSessionConfirmation } from './session-calls.ts';

interface Props {
  readonly session: ConnectSessionInfo;
  readonly onClose: () => void;
}

/**
 * Asks whoever confirms whether it was that person: nobody is signed in who could be compared.
 *
 * @see docs/decisions/2026-11-22-a-link-connects-nothing-by-itself.md
 */
export function ConfirmSession({ session, onClose }: Props) {
  const { mutate, error, isPending } = useSessionConfirmation(session);
  const failure = useFailure(error);
  const { external_user_id: user, user_label: label, account } = session;
  return (
    <Dialog title={<WasIt name={label ?? user} />} onClose={onClose}>
      <p>
        Somebody has connected{' '}
        {account === null ? (
          'an account'
        ) : (
          <>
            <GivenName name={account.name ?? account.id} /> as{' '}
            <code>
              <GivenName name={account.principal} />
            </code>
          </>
        )}{' '}
        with the link for{' '}
        <code>
          <GivenName name={user} />
        </code>
        .
      </p>
      <p>
        Confirm it only where that person has told you so: whoever else got the link would have
        connected an account of theirs.
      </p>
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div className="row">
        <Button loading={isPending} onClick={() => mutate(undefined, { onSuccess: onClose })}>
          Confirm
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

function WasIt({ name }: { readonly name: string }) {
  return (
    <>
      Was it <GivenName name={name} />?
    </>
  );
}
