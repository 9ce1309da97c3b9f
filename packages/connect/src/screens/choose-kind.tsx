import { Doc } from '../parts/doc.tsx';
import { EarlierError } from '../parts/earlier-error.tsx';
import type { ConnectKind, ConnectPageSession } from '@patchbay/connectors/wire';
import { texts } from '../texts/texts.ts';

/** What may be connected, to choose one of. */
export function ChooseKind({
  kinds,
  error,
  onChoose,
}: {
  readonly kinds: readonly ConnectKind[];
  /** What came of an attempt before. */
  readonly error: ConnectPageSession['error'];
  readonly onChoose: (kind: ConnectKind) => void;
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
