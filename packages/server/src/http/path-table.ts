import type { Route } from './route.ts';

/** Says which methods a path takes, for answers to the others. */
export class PathTable {
  readonly #paths: readonly { readonly segments: readonly string[]; readonly method: string }[];

  constructor(routes: readonly Pick<Route, 'method' | 'path' | 'also'>[]) {
    this.#paths = routes.flatMap(({ method, path, also = [] }) =>
      [path, ...also].map((each) => ({ segments: segmentsOf(each), method })),
    );
  }

  /** The methods of the routes whose path matches; none where there is no such path. */
  methodsOf(url: string): readonly string[] {
    const [path = ''] = url.split('?', 1);
    const segments = segmentsOf(path);
    const methods = new Set<string>();
    for (const known of this.#paths) {
      if (!matches(known.segments, segments)) continue;
      methods.add(known.method);
      if (known.method === 'GET') methods.add('HEAD');
    }
    return [...methods].toSorted();
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/');
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.at(-1) === '*')
    return (
      path.length >= pattern.length &&
      matches(pattern.slice(0, -1), path.slice(0, pattern.length - 1))
    );
  return (
    pattern.length === path.length &&
    pattern.every((segment, index) =>
      segment.startsWith(':') ? path[index] !== '' : segment === path[index],
    )
  );
}
