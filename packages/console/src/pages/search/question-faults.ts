import type { FieldFault } from '../../service/failure.ts';
import type { FilterNode } from './filter-tree.ts';
import { placesIn, type Question } from './search-question.ts';

/** The parts of a question besides its filter that can be shown to be wrong. */
type Option = 'sort' | 'fields' | 'facets' | 'limit';

/** What is wrong with a question, by what shows it; it is gone from what has been changed since. */
export interface QuestionFaults {
  readonly of: (node: FilterNode) => string | undefined;
  readonly ofOption: (option: Option) => string | undefined;
  /** What nothing in the form stands for. */
  readonly elsewhere: readonly FieldFault[];
}

const OPTION_PATHS: Readonly<Record<Option, string>> = {
  sort: 'params.query.sort',
  fields: 'params.fields',
  facets: 'params.facets',
  limit: 'params.limit',
};

// Proven: they are the keys of the table.
const OPTIONS = Object.keys(OPTION_PATHS) as readonly Option[];

/**
 * Finds the parts of the form that faults are about.
 *
 * @param asked As it was sent.
 * @param now As the form has it.
 */
export function questionFaults(
  faults: readonly FieldFault[],
  asked: Question,
  now: Question,
): QuestionFaults {
  const places = [...placesIn(asked)].map(
    ([node, place]) => [node, `params.query.${place}`] as const,
  );
  const nodes = new Map<FilterNode, string[]>();
  const options = new Map<Option, string[]>();
  const elsewhere: FieldFault[] = [];
  for (const fault of faults) {
    const option = OPTIONS.find((each) => isWithin(fault.field, OPTION_PATHS[each]));
    const [node, place = ''] = nearest(fault.field, places) ?? [];
    if (option !== undefined) add(options, option, sentence(fault, OPTION_PATHS[option]));
    else if (node !== undefined) add(nodes, node, sentence(fault, place));
    else elsewhere.push(fault);
  }
  return {
    of: (node) => nodes.get(node)?.join('; '),
    ofOption: (option) =>
      asked[option] === now[option] ? options.get(option)?.join('; ') : undefined,
    elsewhere,
  };
}

/** The innermost part that a fault is in; of an element and the conditions on it, the element. */
function nearest<T extends readonly [FilterNode, string]>(
  field: string,
  places: readonly T[],
): T | undefined {
  return places
    .filter(([, place]) => isWithin(field, place))
    .toSorted(
      ([a, atA], [b, atB]) =>
        atB.length - atA.length || Number(a.as === 'group') - Number(b.as === 'group'),
    )[0];
}

function isWithin(field: string, place: string): boolean {
  return field === place || field.startsWith(`${place}.`);
}

/** What is wrong there, and further in, where. */
function sentence({ field, message }: FieldFault, place: string): string {
  return field === place ? message : `${field.slice(place.length + 1)} ${message}`;
}

function add<K>(all: Map<K, string[]>, key: K, message: string): void {
  all.set(key, [...(all.get(key) ?? []), message]);
}
