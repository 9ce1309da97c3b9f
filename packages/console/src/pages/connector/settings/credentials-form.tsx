import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/PasswordInput.css';
import { Button, NativeSelect, PasswordInput } from '@mantine/core';
import { isConnectorError, type KindDescription } from '@patchbay/client';
import { useRef, useState, type FormEvent } from 'react';
import { Notice } from '../../../parts/notice.tsx';
import { labelOf } from '../../../parts/words.ts';
import { useConnectorChange } from '../connector-changes.ts';
import type { ConnectorInfo } from '@patchbay/client';
import { failureOf, faultAt } from '../../../service/failure.ts';
import { useFocusOnFault } from '../../../parts/values/use-focus-on-fault.ts';
import { FormFailure } from '../../../parts/form-failure.tsx';
import { AskForConsent } from './ask-for-consent.tsx';

type AuthMethod = KindDescription['auth_methods'][number];

interface Props {
  readonly connector: ConnectorInfo;
  readonly methods: readonly AuthMethod[];
  readonly onChanged: () => void;
}

/** Gives the connector other credentials: by consent where the method knows it, or as they are entered. */
export function CredentialsForm({ connector, methods, onChanged }: Props) {
  const [name, setName] = useState(connector.auth_method);
  const method = methods.find((each) => each.name === name) ?? methods[0];
  if (method === undefined) return null;
  return (
    <div className="connector-form form">
      <h3 className="connector-subhead">Re-authorise</h3>
      {methods.length > 1 && (
        <NativeSelect
          label="Method"
          value={method.name}
          onChange={(event) => setName(event.currentTarget.value)}
          data={methods.map(({ name: value, label }) => ({ value, label }))}
        />
      )}
      <p className="dim">{method.doc}</p>
      {method.grants.includes('authorization_code') && <AskForConsent connectorId={connector.id} />}
      <MethodForm
        key={method.name}
        connectorId={connector.id}
        method={method}
        onChanged={onChanged}
      />
    </div>
  );
}

interface MethodProps {
  readonly connectorId: string;
  readonly method: AuthMethod;
  readonly onChanged: () => void;
}

function MethodForm({ connectorId, method, onChanged }: MethodProps) {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, error, isPending, isSuccess } = useConnectorChange(connectorId);
  const failure = error === null ? undefined : failureOf(error);
  useFocusOnFault(error);
  const save = ({ replace }: { readonly replace: boolean }) => {
    if (form.current === null) return;
    mutate(
      {
        credentials: credentialsIn(form.current, method),
        ...(replace ? { replace_account: true } : {}),
      },
      {
        onSuccess: () => {
          form.current?.reset();
          onChanged();
        },
      },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save({ replace: false });
  };
  const shown = method.fields.map(({ name }) => `credentials.${name}`);
  return (
    <form ref={form} className="form" onSubmit={submit}>
      {method.fields.map(({ name, doc, required }) => (
        <PasswordInput
          key={name}
          name={name}
          label={labelOf(name)}
          description={doc}
          withAsterisk={required}
          autoComplete="off"
          error={faultAt(failure, `credentials.${name}`)}
        />
      ))}
      <FormFailure failure={failure} fields={shown} />
      {isMismatch(error) && (
        <Notice tone="warning" title="These are the credentials of another account or person">
          <p>They can take over. What had been copied is deleted then, and copied anew.</p>
          <Button
            size="compact-sm"
            color="red"
            loading={isPending}
            onClick={() => save({ replace: true })}
          >
            Replace the account
          </Button>
        </Notice>
      )}
      {isSuccess && <Notice tone="success" title="The new credentials are in use." />}
      <Button className="at-start" type="submit" size="compact-md" loading={isPending}>
        Use these credentials
      </Button>
    </form>
  );
}

function isMismatch(error: unknown): boolean {
  return isConnectorError(error) && error.code === 'account_mismatch';
}

/** What has been entered; fields that were left empty stay out. */
function credentialsIn(form: HTMLFormElement, { fields }: AuthMethod): Record<string, string> {
  const data = new FormData(form);
  const entered: Record<string, string> = {};
  for (const { name } of fields) {
    const value = data.get(name);
    // Nobody means the blanks around what they paste.
    if (typeof value === 'string' && value.trim() !== '') entered[name] = value.trim();
  }
  return entered;
}
