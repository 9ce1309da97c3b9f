import { Button } from '@mantine/core';
import type { ListedApplication } from '../service/applications.ts';

interface Props {
  readonly applications: readonly ListedApplication[];
  readonly onChoose: (id: string) => void;
}

/** Which application an operator wants to work with. */
export function ChooseApplication({ applications, onChoose }: Props) {
  return (
    <main className="alone">
      <h1>Choose an application</h1>
      {applications.length === 0 ? (
        <p>There is no application yet. `patchbay app create NAME` makes one.</p>
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
    </main>
  );
}
