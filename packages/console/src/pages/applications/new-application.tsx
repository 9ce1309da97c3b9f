import './applications.css';
import { Button, TextInput } from '@mantine/core';
import type { NewApplication as MadeApplication } from '@patchbay/client';
import { useState, type FormEvent } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { FormFailure } from '../../parts/form-failure.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { faultAt } from '../../service/failure.ts';
import { useService } from '../../service/service.tsx';
import { makeApplication } from './application-calls.ts';
import { ToldOnce } from './told-once.tsx';

const FIELDS = ['name'];

/** Asks what the application is called, makes it, and shows its secret until the dialog is closed. */
export function NewApplication({ onClose }: { readonly onClose: () => void }) {
  const service = useService();
  const { isBusy, failure, run } = useAttempt();
  const [name, setName] = useState('');
  const [made, setMade] = useState<MadeApplication>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run(async () => setMade(await makeApplication(service, name.trim())));
  };
  if (made !== undefined)
    return (
      <Dialog title={`${made.name} is made`} onClose={onClose}>
        <ToldOnce clientId={made.client_id} clientSecret={made.client_secret} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title="New application" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <TextInput
          label="Name"
          description="The connect page shows it to people."
          required
          autoFocus
          autoComplete="off"
          value={name}
          error={faultAt(failure, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormFailure failure={failure} fields={FIELDS} />
        <div className="row">
          <Button type="submit" loading={isBusy} disabled={name.trim() === ''}>
            Make it
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
