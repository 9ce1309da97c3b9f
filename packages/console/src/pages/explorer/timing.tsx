import { numberText } from '../../parts/words.ts';
import type { Answer } from '../../service/execute.ts';
import { timePartsOf, type TimePart } from './time-parts.ts';

/** How long a call took, and where, as far as the service tells it. */
export function Timing({ answer: { roundTripMs, times } }: { readonly answer: Answer }) {
  if (times === undefined) return <span>{msText(roundTripMs)}</span>;
  const parts = timePartsOf(times, roundTripMs);
  return (
    <div className="timing">
      <p>{msText(roundTripMs)}</p>
      <div className="timing-bar" aria-hidden="true">
        {parts.map(({ name, ms }) => (
          <span key={name} className={classOf(name)} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ul className="plain-list timing-parts" aria-label="Where the time went">
        {parts.map(({ name, doc, ms }) => (
          <li key={name} title={doc}>
            <span className={`timing-key ${classOf(name)}`} aria-hidden="true" />
            {name} {msText(ms)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function classOf(name: TimePart['name']): string {
  return `timing-${name.replaceAll(' ', '-')}`;
}

/** Parts of a short call are told to a tenth. */
function msText(ms: number): string {
  return `${numberText(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms`;
}
