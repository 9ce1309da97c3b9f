import type { KindDescription } from '@patchbay/client';

interface Props {
  readonly kinds: readonly KindDescription[];
  readonly onChoose: (kind: string) => void;
}

/** The kinds there are, to choose one of. */
export function KindList({ kinds, onChoose }: Props) {
  return (
    <ul className="plain-list kinds">
      {kinds.map(({ kind, display_name: name, doc }) => (
        <li key={kind}>
          <button type="button" className="choice" onClick={() => onChoose(kind)}>
            <strong>{name}</strong>
            <span className="dim">{doc}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
