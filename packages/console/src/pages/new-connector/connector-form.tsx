import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { newIdempotencyKey, type KindDescription } from '@patchbay/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { FormFailure } from '../../parts/form-failure.tsx';
import { useValues } from '../../parts/values/use-values.ts';
import { ValueFields } from '../../parts/values/value-fields.tsx';
import { goTo } from '../../routing/location.ts';
import { useFailure } from '../../service/use-failure.ts';
import { useService } from '../../service/service.tsx';
import { ConsentStart } from './consent-start.tsx';
import { createConnector, newConnectorOf, type ConnectorDraft } from './create-connector.ts';
import { fieldsOf, initialTexts, type ConnectorFields } from './connector-fields.ts';

/** Asks for what a kind needs, and makes the connector. */
export function ConnectorForm({ kind }: { readonly kind: KindDescription }) {
  const [methodName, setMethodName] = useState(usualMethod(kind));
  const method = kind.auth_methods.find(({ name }) => name === methodName);
  const fields = useMemo(() => fieldsOf(kind, method), [kind, method]);
  const [verifies, setVerifies] = useState(true);
  const creation = useCreation();
  const failure = useFailure(creation.error);
  const values = useValues(fields.all, failure, initialTexts(kind));
  const draft = newConnectorOf(kind, fields, values);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (values.check()) creation.mutate({ ...draft, verify: verifies });
  };
  return (
    <form className="form form-page" noValidate onSubmit={submit}>
      <FormFailure failure={failure} fields={fields.all.map(({ path }) => path)} />
      <Section title="Whose it is">
        <ValueFields specs={fields.own} values={values} />
      </Section>
      <Section title="Credentials">
        {kind.auth_methods.length > 1 && (
          <NativeSelect
            label="Method"
            value={methodName}
            onChange={(event) => setMethodName(event.currentTarget.value)}
            data={kind.auth_methods.map(({ name, label }) => ({ value: name, label }))}
          />
        )}
        <p className="dim">{method?.doc}</p>
        {method?.grants.includes('authorization_code') === true && (
          <ConsentStart draft={draft} fields={fields} values={values} />
        )}
        <ValueFields specs={fields.credentials} values={values} />
      </Section>
      <Settings fields={fields} values={values} />
      <Checkbox
        label="Check the credentials upstream first"
        description="Nothing is stored where they do not work."
        checked={verifies}
        onChange={(event) => setVerifies(event.currentTarget.checked)}
      />
      <div>
        <Button type="submit" loading={creation.isPending}>
          {verifies ? 'Check and create' : 'Create without a check'}
        </Button>
      </div>
    </form>
  );
}

function Settings({
  fields,
  values,
}: {
  readonly fields: ConnectorFields;
  readonly values: ReturnType<typeof useValues>;
}) {
  return (
    <>
      {fields.config.length > 0 && (
        <Section title="Settings">
          <ValueFields specs={fields.config} values={values} />
        </Section>
      )}
      {fields.replication.length > 0 && (
        <Section title="What is copied">
          <ValueFields specs={fields.replication} values={values} />
        </Section>
      )}
    </>
  );
}

function Section({
  title,
  children,
}: {
  readonly title: string;
  readonly children: React.ReactNode;
}) {
  return (
    <fieldset className="section">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

/** Makes the connector once, however often the button is pressed for the same draft. */
function useCreation() {
  const service = useService();
  const queries = useQueryClient();
  const key = useRef<{ readonly body: string; readonly key: string }>(undefined);
  return useMutation({
    mutationFn: (draft: ConnectorDraft & { readonly verify: boolean }) => {
      const body = JSON.stringify(draft);
      if (key.current?.body !== body) key.current = { body, key: newIdempotencyKey() };
      return createConnector(service, draft, key.current.key);
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['connectors'] });
      goTo(`/connectors/${id}`);
    },
  });
}

/** The method that asks for least: most people have a token at hand. */
function usualMethod({ auth_methods: methods }: KindDescription): string {
  const countOf = (method: (typeof methods)[number]) =>
    method.fields.filter(({ required }) => required).length;
  const [usual] = methods.toSorted((one, other) => countOf(one) - countOf(other));
  return usual?.name ?? '';
}
