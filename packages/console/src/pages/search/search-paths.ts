import type { EntityDescription, FieldDescription } from '../../service/description.ts';
import type { Path } from './filter-tree.ts';

/** A place that a search can look at. */
export interface SearchPath {
  /** As forms show and take it; `pathOfText` reads it. */
  readonly text: string;
  /** Of the field, or of what is known below it; `undefined` where there are several, or none is known. */
  readonly type: string | undefined;
  /** A searchable field itself: what may be sorted by. */
  readonly isField: boolean;
}

/** What stands for the elements of an array, in the paths of `describe`. */
const ELEMENTS = '[]';

/** The fields that can be searched, and the paths below them: documented ones, and those that the copy has. */
export function searchPathsOf({ searchable }: EntityDescription): readonly SearchPath[] {
  return unique(
    searchable.flatMap((field) => [
      { text: field.name, type: field.type, isField: true },
      ...pathsBelow(field).filter(isWhole).map(asSearchPath),
    ]),
  );
}

/** The paths inside the elements of an array, relative to the element. */
export function elementPathsOf(
  { searchable }: EntityDescription,
  array: string,
): readonly SearchPath[] {
  const before = segmentsOf(`${array}${ELEMENTS}`);
  const inside = searchable
    .flatMap(pathsBelow)
    .filter(({ segments }) => before.every((name, index) => segments[index] === name))
    .map(({ segments, type }) => ({ segments: segments.slice(before.length), type }));
  return unique(inside.filter(isWhole).map(asSearchPath));
}

/** A path as forms show it: an array of names as JSON. */
export function textOfPath(path: Path): string {
  return typeof path === 'string' ? path : JSON.stringify(path);
}

/** A path as somebody typed it; what is no array of names is a dotted path. */
export function pathOfText(text: string): Path {
  if (!text.startsWith('[')) return text;
  try {
    const names: unknown = JSON.parse(text);
    const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string');
    return areNames ? names : text;
  } catch {
    // It is being typed.
    return text;
  }
}

interface KnownPath {
  readonly segments: readonly string[];
  readonly type: string | undefined;
}

function pathsBelow({ members = [], observed = [] }: FieldDescription): readonly KnownPath[] {
  return [
    ...members.map(({ path, type }) => ({ segments: segmentsOf(path), type })),
    ...observed.map(({ path, types }) => {
      const known = types.filter((type) => type !== 'null');
      return { segments: segmentsOf(path), type: known.length === 1 ? known[0] : undefined };
    }),
  ];
}

/** Not below the elements of an array, which only an element's own filter looks into, and not empty. */
function isWhole({ segments }: KnownPath): boolean {
  return segments.length > 0 && segments.every((name) => name !== '' && !name.endsWith(ELEMENTS));
}

function asSearchPath({ segments, type }: KnownPath): SearchPath {
  const hasDot = segments.some((name) => name.includes('.'));
  return { text: textOfPath(hasDot ? segments : segments.join('.')), type, isField: false };
}

function segmentsOf(path: Path): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path;
}

/** The first of those that are spelled alike: what is documented comes before what was seen. */
function unique(paths: readonly SearchPath[]): readonly SearchPath[] {
  return [...new Map(paths.toReversed().map((path) => [path.text, path])).values()].toReversed();
}
