import { Button } from '@mantine/core';
import type { ApplicationInfo } from '@patchbay/client';
import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { TypedConfirmation } from '../../../parts/typed-confirmation.tsx';
import { goTo } from '../../../routing/location.ts';
import { useFailure } from '../../../service/use-failure.ts';
import { useApplicationDeletion } from '../application-calls.ts';

/** The end of the application: asked for twice, the second time with its name. */
export function DeleteApplication({ application }: { readonly application: ApplicationInfo }) {
  const [isOpen, setIsOpen] = useState(false);
  const { id, name } = application;
  const { mutate, error, isPending } = useApplicationDeletion(id, () =>
    goTo('/applications', { replace: true }),
  );
  const failure = useFailure(error);
  return (
    <section className="application-section" aria-labelledby="deletion">
      <h2 id="deletion">Delete</h2>
      <p className="dim">
        Its secrets are destroyed at once, and its connectors with their credentials and copies soon
        after. This cannot be undone.
      </p>
      <Button size="compact-md" color="red" variant="outline" onClick={() => setIsOpen(true)}>
        Delete this application
      </Button>
      {isOpen && (
        <Dialog title={`Delete ${name}`} onClose={() => setIsOpen(false)}>
          <TypedConfirmation
            name={name}
            about="Whoever logs in as it is refused from then on, and its people are disconnected."
            isBusy={isPending}
            failure={failure}
            onConfirm={() => mutate()}
            onCancel={() => setIsOpen(false)}
          />
        </Dialog>
      )}
    </section>
  );
}
