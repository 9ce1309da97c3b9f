import { Button } from '@mantine/core';
import type { ApplicationInfo } from '@patchbay/client';
import { Dialog } from '../../../parts/dialog.tsx';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { dateTime } from '../../../parts/words.ts';
import { useFailure } from '../../../service/use-failure.ts';
import { useSecretDeletion } from '../application-calls.ts';

export type Secret = ApplicationInfo['secrets'][number];

interface Props {
  readonly applicationId: string;
  readonly secret: Secret;
  readonly onClose: () => void;
}

/** Asks before a secret is deleted: something may still log in with it. */
export function DeleteSecret({ applicationId, secret, onClose }: Props) {
  const { mutate, error, isPending } = useSecretDeletion(applicationId);
  const failure = useFailure(error);
  return (
    <Dialog title={`Delete the secret of ${dateTime(secret.created_at)}`} onClose={onClose}>
      <p>
        Whatever logs in with it is refused from then on, and whoever signed in to the console with
        it is signed out. Tokens that were got with it live until they end.
      </p>
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div className="row">
        <Button
          color="red"
          loading={isPending}
          onClick={() => mutate(secret.id, { onSuccess: onClose })}
        >
          Delete
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
