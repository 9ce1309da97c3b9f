import { Button } from '@mantine/core';
import type { ApplicationInfo } from '@patchbay/client';
import { useState } from 'react';
import { dateTime } from '../../../parts/words.ts';
import { useSignedIn } from '../../../session/use-session.tsx';
import { useApplicationRefresh } from '../application-calls.ts';
import { DeleteSecret, type Secret } from './delete-secret.tsx';
import { NewSecret } from './new-secret.tsx';

interface Props {
  readonly application: ApplicationInfo;
}

/** The client secrets of an application, by what is known of them; the operator makes and deletes them. */
export function SecretList({ application }: Props) {
  const { role } = useSignedIn();
  const { id, client_id: clientId, secrets } = application;
  const [isMaking, setIsMaking] = useState(false);
  const [going, setGoing] = useState<Secret>();
  const refresh = useApplicationRefresh(id);
  const isOperator = role === 'operator';
  const closeMade = () => {
    setIsMaking(false);
    refresh();
  };
  return (
    <section className="application-section" aria-labelledby="secrets">
      <h2 id="secrets">Client secrets</h2>
      <p className="dim">
        Each is as good as another. To change one without a pause make another, give it to
        everything that logs in, then delete the old one.
        {!isOperator && ' The operator of the service does that.'}
      </p>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Made</th>
            <th scope="col">Id</th>
            {isOperator && <th scope="col">End</th>}
          </tr>
        </thead>
        <tbody>
          {secrets.map((secret) => (
            <tr key={secret.id}>
              <td className="main-cell application-nowrap">{dateTime(secret.created_at)}</td>
              <td className="application-id">
                <code>{secret.id}</code>
              </td>
              {isOperator && (
                <td>
                  {secrets.length === 1 ? (
                    <span className="dim">The last one stays: make another first</span>
                  ) : (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Delete the secret of ${dateTime(secret.created_at)}`}
                      onClick={() => setGoing(secret)}
                    >
                      Delete
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {isOperator && (
        <Button size="compact-md" onClick={() => setIsMaking(true)}>
          New secret
        </Button>
      )}
      {isMaking && <NewSecret applicationId={id} clientId={clientId} onClose={closeMade} />}
      {going !== undefined && (
        <DeleteSecret applicationId={id} secret={going} onClose={() => setGoing(undefined)} />
      )}
    </section>
  );
}
