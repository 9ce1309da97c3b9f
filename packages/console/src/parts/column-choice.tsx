import { Checkbox } from '@mantine/core';

interface Props {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Which fields a table shows, in the order of the definition. */
export function ColumnChoice({ all, chosen, onChange }: Props) {
  return (
    <details className="columns">
      <summary>
        Columns ({chosen.length} of {all.length})
      </summary>
      <Checkbox.Group
        aria-label="Columns"
        value={[...chosen]}
        onChange={(names) => onChange(all.filter((name) => names.includes(name)))}
      >
        <div className="row">
          {all.map((name) => (
            <Checkbox key={name} size="xs" value={name} label={name} />
          ))}
        </div>
      </Checkbox.Group>
    </details>
  );
}
