import { Button, Checkbox } from '@mantine/core';
import type { EntityDescription } from '@patchbay/client';
import { columnFields } from './columns.ts';
import { useRef, type KeyboardEvent } from 'react';

interface Props {
  readonly entity: EntityDescription;
  readonly columns: readonly string[];
  /** Empty for the usual ones. */
  readonly onChange: (columns: readonly string[]) => void;
}

/** Which fields of the records are columns; at least one is. */
export function ColumnChoice({ entity, columns, onChange }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || details.current?.open !== true) return;
    details.current.open = false;
    details.current.querySelector('summary')?.focus();
  };
  const fields = columnFields(entity);
  const names = fields.map(({ name }) => name);
  const toggle = (name: string) =>
    onChange(names.filter((each) => columns.includes(each) !== (each === name)));
  return (
    <details ref={details} className="column-choice" onKeyDown={close}>
      <summary>
        Columns ({columns.length} of {names.length})
      </summary>
      <fieldset className="column-choice-list">
        <legend className="visually-hidden">Columns</legend>
        {fields.map(({ name, type }) => (
          <Checkbox
            key={name}
            size="xs"
            label={
              <>
                {name} <span className="dim">{type}</span>
              </>
            }
            checked={columns.includes(name)}
            disabled={columns.length === 1 && columns.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
        <Button size="compact-xs" variant="default" onClick={() => onChange([])}>
          The usual ones
        </Button>
      </fieldset>
    </details>
  );
}
