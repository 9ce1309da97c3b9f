import { Button, TextInput } from '@mantine/core';
import type { ApplicationInfo } from '@patchbay/client';
import { useState, type FormEvent } from 'react';
import { FormFailure } from '../../../parts/form-failure.tsx';
import type { FieldSpec } from '../../../parts/values/field-spec.ts';
import { useFocusOnFault } from '../../../parts/values/use-focus-on-fault.ts';
import { readValue } from '../../../parts/values/read-value.ts';
import { faultAt } from '../../../service/failure.ts';
import { useFailure } from '../../../service/use-failure.ts';
import { useSession, useSignedIn } from '../../../session/use-session.tsx';
import { useApplicationChange, type ApplicationChange } from '../application-calls.ts';

const FIELDS = ['name', 'rate_limit'];
const RATE_LIMIT: FieldSpec = {
  path: 'rate_limit',
  name: 'rate_limit',
  doc: '',
  required: false,
  expects: 'a whole number from 1, or empty',
  schema: { type: 'integer', minimum: 1 },
};

/** The name, and for the operator how often the application may call. */
export function NameForm({ application }: { readonly application: ApplicationInfo }) {
  const { role } = useSignedIn();
  const { renew } = useSession();
  const { mutate, error, isPending, isSuccess } = useApplicationChange(application.id);
  const failure = useFailure(error);
  useFocusOnFault(error);
  const [name, setName] = useState<string>();
  const [limit, setLimit] = useState<string>();
  const read = readValue(RATE_LIMIT, limit ?? '');
  const change = changeOf({ name, limit }, application);
  const isChanged = Object.keys(change).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(change, {
      onSuccess: () => {
        // What has been entered since stays.
        setName((now) => (now === name ? undefined : now));
        setLimit((now) => (now === limit ? undefined : now));
        // The session says what its application is called; where it cannot be asked, it says so later.
        if (role === 'application') renew().catch(() => undefined);
      },
    });
  };
  return (
    <section className="application-section" aria-labelledby="general">
      <h2 id="general">Name and limit</h2>
      <form className="form" onSubmit={submit}>
        <TextInput
          label="Name"
          description="The connect page shows it to people."
          required
          autoComplete="off"
          value={name ?? application.name}
          error={faultAt(failure, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Calls a minute"
          description={
            role === 'operator'
              ? 'In each process. Empty for the limit of the service.'
              : 'In each process; empty where the limit of the service holds. The operator sets it.'
          }
          inputMode="numeric"
          autoComplete="off"
          disabled={role !== 'operator'}
          value={limit ?? limitText(application)}
          error={read.is === 'fault' ? read.fault : faultAt(failure, 'rate_limit')}
          onChange={(event) => setLimit(event.currentTarget.value)}
        />
        <FormFailure failure={failure} fields={FIELDS} />
        <div className="row">
          <Button
            type="submit"
            size="compact-md"
            loading={isPending}
            disabled={!isChanged || read.is === 'fault'}
          >
            Save
          </Button>
          <span className="dim" role="status">
            {isSuccess && !isChanged && 'Saved.'}
          </span>
        </div>
      </form>
    </section>
  );
}

interface Draft {
  readonly name: string | undefined;
  readonly limit: string | undefined;
}

/** What differs from what is saved; 0 stands for the limit of the service. */
function changeOf({ name, limit }: Draft, application: ApplicationInfo): ApplicationChange {
  const hasLimit = limit !== undefined && limit.trim() !== limitText(application);
  return {
    ...(name === undefined || name === application.name ? {} : { name }),
    ...(hasLimit ? { rate_limit: Number(limit) } : {}),
  };
}

function limitText({ rate_limit: limit }: ApplicationInfo): string {
  return limit === null ? '' : String(limit);
}
