import { Button, Checkbox, NativeSelect } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';
import { useMemo, useState, type FormEvent } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useValues } from '../../parts/values/use-values.ts';
import { ValueFields } from '../../parts/values/value-fields.tsx';
import { credentialFields } from '../../service/kinds.ts';
import type { ListedConnector } from '../../service/connectors.ts';
import { faultsElsewhere } from '../../service/failure.ts';
import { useFailure } from '../../service/use-failure.ts';
import { useConnectorChange } from './change-connector.ts';

interface Props {
  readonly connector: ListedConnector;
  readonly kind: KindDescription;
}

/** Other credentials for the connector: tried upstream first, and of the same account unless said. */
export function CredentialsForm({ connector, kind }: Props) {
  const [methodName, setMethodName] = useState(connector.auth_method);
  const method = kind.auth_methods.find(({ name }) => name === methodName);
  const specs = useMemo(() => credentialFields(method), [method]);
  const [replaces, setReplaces] = useState(false);
  const change = useConnectorChange(connector.id);
  const failure = useFailure(change.error);
  const values = useValues(specs, failure);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!values.check()) return;
    change.mutate(
      {
        credentials: values.valuesOf(specs) as Readonly<Record<string, string>>,
        ...(replaces ? { replace_account: true } : {}),
      },
      { onSuccess: () => values.setAll({}) },
    );
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      <h2>Re-authorise</h2>
      <p className="dim">
        Other credentials in place of the present ones, which nobody can read any more.
      </p>
      {failure !== undefined && (
        <FailureNotice
          failure={failure}
          faults={faultsElsewhere(failure, new Set(specs.map(({ path }) => path)))}
        />
      )}
      {change.isSuccess && <Notice tone="success" title="The new credentials are in use" />}
      {kind.auth_methods.length > 1 && (
        <NativeSelect
          label="Method"
          value={methodName}
          onChange={(event) => setMethodName(event.currentTarget.value)}
          data={kind.auth_methods.map(({ name, label }) => ({ value: name, label }))}
        />
      )}
      <ValueFields specs={specs} values={values} />
      <Checkbox
        label="They may be of another account"
        description="What was copied is deleted then, and copied anew from the other account."
        checked={replaces}
        onChange={(event) => setReplaces(event.currentTarget.checked)}
      />
      <div>
        <Button type="submit" variant="default" loading={change.isPending}>
          Use these credentials
        </Button>
      </div>
    </form>
  );
}
