interface Props {
  /** How much room the rows take that it stands for. */
  readonly px: number;
  readonly columns: number;
}

/** Stands for rows of a table that are out of sight. */
export function SpacerRow({ px, columns }: Props) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td className="spacer" colSpan={columns} style={{ height: px }} />
    </tr>
  );
}
