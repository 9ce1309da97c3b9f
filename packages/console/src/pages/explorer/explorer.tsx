import { NativeSelect } from '@mantine/core';
import type { EntityDescription, KindDescription } from '@patchbay/client';
import { changeQuery, usePlace } from '../../routing/location.ts';
import { ActionCall } from './action-call.tsx';

type Action = EntityDescription['actions'][number];

interface Props {
  readonly id: string;
  readonly kind: KindDescription;
}

/** Entity and action, which stand in the address, and what they ask for. */
export function Explorer({ id, kind }: Props) {
  const { query } = usePlace();
  const { entities } = kind;
  const entity = named(entities, query.get('entity')) ?? entities[0];
  const action = entity && (named(entity.actions, query.get('action')) ?? entity.actions[0]);
  if (entity === undefined || action === undefined) return <p>Nothing can be called.</p>;
  return (
    <>
      <div className="row">
        <NativeSelect
          label="Entity"
          value={entity.name}
          onChange={(event) => changeQuery({ entity: event.currentTarget.value, action: '' })}
          data={entities.map(({ name }) => name)}
        />
        <NativeSelect
          label="Action"
          value={action.name}
          onChange={(event) => changeQuery({ action: event.currentTarget.value })}
          data={entity.actions.map((each) => ({ value: each.name, label: actionLabel(each) }))}
        />
      </div>
      <p>
        {action.doc}{' '}
        <a href={action.reference} target="_blank" rel="noreferrer">
          The vendor on it
        </a>
      </p>
      <ActionCall key={`${entity.name}.${action.name}`} id={id} entity={entity} action={action} />
    </>
  );
}

function actionLabel({ name, writes }: Action): string {
  return writes ? `${name} (writes)` : name;
}

function named<T extends { readonly name: string }>(
  each: readonly T[],
  name: string | null,
): T | undefined {
  return each.find((one) => one.name === name);
}
