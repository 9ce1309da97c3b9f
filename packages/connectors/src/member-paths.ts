import { memberPathsOf, type RecordFields } from './vocabulary/index.ts';
import { ELEMENTS } from './written-path.ts';

const known = new WeakMap<RecordFields, readonly string[]>();

/** Dotted paths of the members of objects that the definition declares, such as `profile.email`. */
export function memberPathsIn(fields: RecordFields): readonly string[] {
  const paths = known.get(fields) ?? findMemberPaths(fields);
  known.set(fields, paths);
  return paths;
}

function findMemberPaths(fields: RecordFields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const members = field['x-members'];
    if (members === undefined || field['x-field'] === 'array') return [];
    return memberPathsOf(name, members, { isArray: false })
      .filter(({ segments }) => !segments.includes(ELEMENTS))
      .map(({ segments }) => segments.join('.'));
  });
}

/** The only one of the paths that ends with these segments, such as `profile.email` for `email`. */
export function pathThatEndsWith(
  paths: readonly string[],
  segments: readonly string[],
): string | undefined {
  const end = `.${segments.join('.')}`;
  const [path, ...others] = paths.filter((each) => each.endsWith(end));
  return others.length === 0 ? path : undefined;
}
