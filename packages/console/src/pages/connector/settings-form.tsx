import { Button } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';
import { useMemo, type FormEvent } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Notice } from '../../parts/notice.tsx';
import { specsBelow, type Entered } from '../../parts/values/field-spec.ts';
import { textOf } from '../../parts/values/read-value.ts';
import { useValues } from '../../parts/values/use-values.ts';
import { ValueFields } from '../../parts/values/value-fields.tsx';
import { CONNECTOR_NAME } from '../../service/connector-name.ts';
import type { ListedConnector } from '../../service/connectors.ts';
import { faultsElsewhere } from '../../service/failure.ts';
import { useFailure } from '../../service/use-failure.ts';
import { useConnectorChange } from './change-connector.ts';

interface Props {
  readonly connector: ListedConnector;
  readonly kind: KindDescription;
}

/** Name and settings; a change of what is copied has it copied anew. */
export function SettingsForm({ connector, kind }: Props) {
  const change = useConnectorChange(connector.id);
  const failure = useFailure(change.error);
  const { config, replication, all } = useMemo(() => fieldsOf(kind), [kind]);
  const values = useValues(all, failure, textsOf(connector));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!values.check()) return;
    change.mutate({
      name: (values.entered['name'] ?? '').trim(),
      config: values.valuesOf(config),
      replication_config: values.valuesOf(replication),
    });
  };
  return (
    <form className="form" noValidate onSubmit={submit}>
      <h2>Settings</h2>
      {failure !== undefined && (
        <FailureNotice
          failure={failure}
          faults={faultsElsewhere(failure, new Set(all.map(({ path }) => path)))}
        />
      )}
      {change.isSuccess && <Notice tone="success" title="Saved" />}
      <ValueFields specs={all} values={values} />
      <div>
        <Button type="submit" loading={change.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

function fieldsOf(kind: KindDescription) {
  const config = specsBelow('config', kind.config);
  const replication = specsBelow('replication_config', kind.replication_config.fields);
  return { config, replication, all: [CONNECTOR_NAME, ...config, ...replication] };
}

function textsOf({ name, config, replication_config: replication }: ListedConnector): Entered {
  return {
    name,
    ...Object.fromEntries([
      ...textsBelow('config', config),
      ...textsBelow('replication_config', replication ?? {}),
    ]),
  };
}

function textsBelow(prefix: string, values: Readonly<Record<string, unknown>>) {
  return Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, textOf(value)] as const);
}
