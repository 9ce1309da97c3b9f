import { NativeSelect } from '@mantine/core';
import type { KindDescription } from '@patchbay/client';

interface Props {
  readonly kind: KindDescription;
  readonly entity: string;
  readonly action: string;
  readonly onChange: (chosen: { readonly entity: string; readonly action: string }) => void;
}

/** Chooses an entity, and one of its actions. */
export function ActionChoice({ kind, entity, action, onChange }: Props) {
  const actions = kind.entities.find(({ name }) => name === entity)?.actions ?? [];
  const chooseEntity = (name: string) => {
    const [first] = kind.entities.find((each) => each.name === name)?.actions ?? [];
    onChange({ entity: name, action: first?.name ?? '' });
  };
  return (
    <>
      <NativeSelect
        label="Entity"
        value={entity}
        onChange={(event) => chooseEntity(event.currentTarget.value)}
        data={kind.entities.map(({ name }) => name)}
      />
      <NativeSelect
        label="Action"
        value={action}
        onChange={(event) => onChange({ entity, action: event.currentTarget.value })}
        data={actions.map(({ name, writes }) => ({
          value: name,
          label: writes ? `${name} (writes)` : name,
        }))}
      />
    </>
  );
}
