import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import { Autocomplete } from '@mantine/core';
import type { SearchPath } from './search-paths.ts';

interface Props {
  readonly label: string;
  readonly text: string;
  readonly paths: readonly SearchPath[];
  readonly isFaulty: boolean;
  readonly onChange: (text: string) => void;
}

/** More than anybody reads: what is typed narrows them down. */
const MOST_SHOWN = 100;

/** A field, or a path below one: those that are known are suggested, any other is taken. */
export function PathInput({ label, text, paths, isFaulty, onChange }: Props) {
  return (
    <Autocomplete
      aria-label={label}
      placeholder="Field"
      className="condition-path"
      size="xs"
      error={isFaulty}
      value={text}
      onChange={onChange}
      limit={MOST_SHOWN}
      data={paths.map((path) => path.text)}
    />
  );
}
