import { Button } from '@mantine/core';
import type { EntityDescription } from '@patchbay/client';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent } from 'react';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { specsBelow, type Entered, type FieldSpec } from '../../parts/values/field-spec.ts';
import { textOf, typesOf } from '../../parts/values/read-value.ts';
import { useValues } from '../../parts/values/use-values.ts';
import { ValueFields } from '../../parts/values/value-fields.tsx';
import { faultsElsewhere } from '../../service/failure.ts';
import { useFailure } from '../../service/use-failure.ts';
import { useService } from '../../service/service.tsx';
import { CallResult } from './call-result.tsx';
import { ConfirmWrite } from './confirm-write.tsx';
import { nextPageOf, runCall, type Call } from './run-call.ts';
import { Snippets } from './snippet-view.tsx';

interface Props {
  readonly id: string;
  readonly entity: EntityDescription;
  readonly action: EntityDescription['actions'][number];
}

/** The params of an action, the call, and what came of it. */
export function ActionCall({ id, entity, action }: Props) {
  const specs = useMemo(() => specsBelow('params', action.params), [action]);
  const run = useRun();
  const failure = useFailure(run.error);
  const values = useValues(specs, failure, initialTexts(specs));
  const [asked, setAsked] = useState<Call>();
  const callWith = (more: Readonly<Record<string, unknown>>): Call => ({
    connectorId: id,
    entity: entity.name,
    action: action.name,
    params: { ...values.valuesOf(specs), ...more },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!values.check()) return;
    if (action.writes) setAsked(callWith({}));
    else run.mutate({ call: callWith({}) });
  };
  const next = run.data === undefined ? undefined : nextPageOf(run.data);
  const turnPage = () => {
    values.setAll({ ...values.entered, ...textsOf(next ?? {}) });
    run.mutate({ call: callWith(next ?? {}) });
  };
  return (
    <>
      <form className="form form-page" noValidate onSubmit={submit}>
        {specs.length === 0 && <p className="dim">It takes no params.</p>}
        <ValueFields specs={specs} values={values} />
        <div>
          <Button type="submit" loading={run.isPending}>
            {action.writes ? 'Look at what is sent …' : 'Run'}
          </Button>
        </div>
      </form>
      <Snippets call={callWith({})} />
      {failure !== undefined && (
        <FailureNotice
          failure={failure}
          faults={faultsElsewhere(failure, new Set(specs.map(({ path }) => path)))}
        />
      )}
      {run.data !== undefined && failure === undefined && (
        <CallResult
          outcome={run.data}
          entity={entity}
          onNextPage={next === undefined ? undefined : turnPage}
          isBusy={run.isPending}
        />
      )}
      <ConfirmWrite
        call={asked}
        onCancel={() => setAsked(undefined)}
        onSend={(call) => {
          setAsked(undefined);
          run.mutate({ call, idempotencyKey: crypto.randomUUID() });
        }}
      />
    </>
  );
}

function useRun() {
  const service = useService();
  return useMutation({
    mutationFn: ({
      call,
      idempotencyKey,
    }: {
      readonly call: Call;
      readonly idempotencyKey?: string;
    }) => runCall(service, call, idempotencyKey),
  });
}

/** An object that has to be said can be written from its braces on. */
function initialTexts(specs: readonly FieldSpec[]): Entered {
  const objects = specs.filter(
    ({ required, schema }) => required && typesOf(schema).includes('object'),
  );
  return Object.fromEntries(objects.map(({ path }) => [path, '{}']));
}

function textsOf(params: Readonly<Record<string, unknown>>): Entered {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [`params.${name}`, textOf(value)]),
  );
}
