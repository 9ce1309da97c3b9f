import type { Facet } from './search-answer.ts';
import { plainText } from '../../parts/plain-text.ts';
import { numberText } from '../../parts/words.ts';

interface Props {
  readonly facets: Readonly<Record<string, Facet>>;
  /** How many records were counted, where that is known: what a full bar stands for. */
  readonly total: number | undefined;
  readonly onNarrow: (path: string, value: unknown) => void;
}

/** How many records have which value; a value narrows the search down to those that have it. */
export function FacetBars({ facets, total, onNarrow }: Props) {
  return (
    <div className="facets">
      {Object.entries(facets).map(([path, facet]) => (
        <section key={path} aria-label={`Values of ${path}`} className="facet">
          <h3>{path}</h3>
          {facet.values.length === 0 && <p className="dim">No values that can be counted.</p>}
          <ul className="plain-list">
            {facet.values.map(({ value, count }) => (
              <Bar
                key={JSON.stringify(value)}
                label={plainText(String(value))}
                count={count}
                share={count / (total ?? mostOf(facet))}
                onChoose={() => onNarrow(path, value)}
              />
            ))}
          </ul>
          {facet.other > 0 && <p className="dim">{numberText(facet.other)} with other values</p>}
          {facet.relation === 'at_least' && (
            <p className="dim">Counted over the first 10,000 records.</p>
          )}
        </section>
      ))}
    </div>
  );
}

interface BarProps {
  readonly label: string;
  readonly count: number;
  /** Of a full bar. */
  readonly share: number;
  readonly onChoose: () => void;
}

function Bar({ label, count, share, onChoose }: BarProps) {
  return (
    <li>
      <button type="button" className="facet-value" onClick={onChoose} title={`Only ${label}`}>
        <span className="facet-bar" style={{ width: `${share * 100}%` }} aria-hidden="true" />
        <span className="facet-label">{label === '' ? '(empty text)' : label}</span>
        <span>{numberText(count)}</span>
      </button>
    </li>
  );
}

/** The count of the commonest value, which comes first. */
function mostOf({ values }: Facet): number {
  return values[0]?.count ?? 1;
}
