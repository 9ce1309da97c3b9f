import { Button, Checkbox } from '@mantine/core';
import type { ConnectorInfo, KindDescription } from '@patchbay/client';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { TypedConfirmation } from '../../../parts/typed-confirmation.tsx';
import { goTo } from '../../../routing/location.ts';
import { useDeletion } from '../connector-changes.ts';
import { useFailure } from '../../../service/use-failure.ts';

type AuthMethod = KindDescription['auth_methods'][number];

interface Props {
  readonly connector: ConnectorInfo;
  /** That of its credentials. */
  readonly method: AuthMethod | undefined;
}

/** The end of the connector: asked for twice, the second time with its name. */
export function DeleteConnector({ connector, method }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="connector-section" aria-labelledby="deletion">
      <h2 id="deletion">Delete</h2>
      <p className="dim">
        Its credentials and everything that was copied are destroyed. This cannot be undone.
      </p>
      <Button
        className="at-start"
        size="compact-md"
        color="red"
        variant="outline"
        onClick={() => setIsOpen(true)}
      >
        Delete this connector
      </Button>
      {isOpen && (
        <Dialog title={`Delete ${connector.name}`} onClose={() => setIsOpen(false)}>
          <Confirmation connector={connector} method={method} onCancel={() => setIsOpen(false)} />
        </Dialog>
      )}
    </section>
  );
}

interface ConfirmationProps extends Props {
  readonly onCancel: () => void;
}

function Confirmation({ connector: { id, name }, method, onCancel }: ConfirmationProps) {
  const [revoke, setRevoke] = useState(true);
  const { mutate, error, isPending } = useDeletion(id, () => goTo('/', { replace: true }));
  return (
    <TypedConfirmation
      name={name}
      about="Calls and searches of it are refused from then on, and nothing brings it back."
      isBusy={isPending}
      failure={useFailure(error)}
      onConfirm={() => mutate({ revoke })}
      onCancel={onCancel}
    >
      {method !== undefined && method.revoked !== 'none' && (
        <Checkbox
          label="Revoke its tokens at the vendor"
          description={method.revocation?.doc}
          checked={revoke}
          onChange={(event) => setRevoke(event.currentTarget.checked)}
        />
      )}
    </TypedConfirmation>
  );
}
