import { Doc } from '../parts/doc.tsx';
import type { KindChoice } from '../session-view.ts';
import { texts } from '../texts/texts.ts';

/** What may be connected, to choose one of. */
export function ChooseKind({
  kinds,
  onChoose,
}: {
  readonly kinds: readonly KindChoice[];
  readonly onChoose: (kind: KindChoice) => void;
}) {
  return (
    <section>
      <h2 id="kinds">{texts.chooseKind}</h2>
      <ul class="choices" aria-labelledby="kinds">
        {kinds.map((kind) => (
          <li key={kind.connector_type}>
            <button type="button" class="choice" onClick={() => onChoose(kind)}>
              <span class="choice-name">{kind.display_name}</span>
              <Doc text={kind.doc} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
