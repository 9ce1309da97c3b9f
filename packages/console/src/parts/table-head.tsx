interface Props {
  /** Different names, in order. */
  readonly columns: readonly string[];
  /** Those whose cells are numbers. */
  readonly numbers?: readonly string[];
}

/** The first row of a table: what its columns are. */
export function TableHead({ columns, numbers = [] }: Props) {
  return (
    <thead>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col" className={numbers.includes(name) ? 'number' : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
