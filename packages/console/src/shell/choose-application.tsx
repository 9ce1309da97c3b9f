import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ListedApplication } from '../service/applications.ts';

/** Few need it here. */
const NewApplication = lazy(async () => ({
  default: (await import('../pages/applications/new-application.tsx')).NewApplication,
}));

interface Props {
  readonly applications: readonly ListedApplication[];
  readonly onChoose: (id: string) => void;
  /** There is another one, whose secret has been seen. */
  readonly onMade: () => void;
}

/** Which application an operator wants to work with. */
export function ChooseApplication({ applications, onChoose, onMade }: Props) {
  const [isMaking, setIsMaking] = useState(false);
  const close = () => {
    setIsMaking(false);
    onMade();
  };
  return (
    <main className="alone">
      <h1>Choose an application</h1>
      {applications.length === 0 ? (
        <p>There is no application yet.</p>
      ) : (
        <ul className="plain-list">
          {applications.map(({ id, name }) => (
            <li key={id}>
              <Button variant="default" fullWidth justify="start" onClick={() => onChoose(id)}>
                {name}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button size="compact-md" onClick={() => setIsMaking(true)}>
          New application
        </Button>
      </div>
      {isMaking && (
        <Suspense>
          <NewApplication onClose={close} />
        </Suspense>
      )}
    </main>
  );
}
