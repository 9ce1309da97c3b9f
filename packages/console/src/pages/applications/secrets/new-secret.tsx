import { Button } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { FailureNotice } from '../../../parts/failure-notice.tsx';
import { useAttempt } from '../../../parts/use-attempt.ts';
import { useService } from '../../../service/service.tsx';
import { makeSecret } from '../application-calls.ts';
import { ToldOnce } from '../told-once.tsx';

interface Props {
  readonly applicationId: string;
  readonly clientId: string;
  readonly onClose: () => void;
}

/** Makes a secret, and shows it until the dialog is closed. */
export function NewSecret({ applicationId, clientId, onClose }: Props) {
  const service = useService();
  const { isBusy, failure, run } = useAttempt();
  const [clientSecret, setClientSecret] = useState<string>();
  const make = async () => {
    const { client_secret: told } = await makeSecret(service, applicationId);
    setClientSecret(told);
  };
  return (
    <Dialog title="New secret" onClose={onClose}>
      {clientSecret === undefined ? (
        <>
          <p>It can be used at once; the others stay as good as they are.</p>
          {failure !== undefined && <FailureNotice failure={failure} />}
          <div className="row">
            <Button loading={isBusy} onClick={() => run(make)}>
              Make it
            </Button>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          </div>
        </>
      ) : (
        <ToldOnce clientId={clientId} clientSecret={clientSecret} onClose={onClose} />
      )}
    </Dialog>
  );
}
