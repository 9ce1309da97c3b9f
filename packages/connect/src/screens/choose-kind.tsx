import { Doc } from '../parts/doc.tsx';
import { EarlierError } from '../parts/earlier-error.tsx';
import type { KindChoice, SessionError } from '../session-view.ts';
import { texts } from '../texts/texts.ts';

/** What may be connected, to choose one of. */
export function ChooseKind({
  kinds,
  error,
  onChoose,
}: {
  readonly kinds: readonly KindChoice[];
  /** What came of an attempt before. */
  readonly error: SessionError | null;
  readonly onChoose: (kind: KindChoice) => void;
}) {
  return (
    <section>
      <EarlierError error={error} />
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
