import type { Route } from './route.ts';

/** Says which methods a path takes, for answers to the others. */
export class PathTable {
  readonly #paths: readonly {
    readonly segments: readonly string[];
    readonly methods: readonly string[];
  }[];

  constructor(routes: readonly Pick<Route, 'method' | 'path' | 'also' | 'hasEffect'>[]) {
    this.#paths = routes.flatMap((route) =>
      [route.path, ...(route.also ?? [])].map((each) => ({
        segments: segmentsOf(each),
        methods: takesHead(route) ? [route.method, 'HEAD'] : [route.method],
      })),
    );
  }

  /** The methods of the routes whose path matches; none where there is no such path. */
  methodsOf(url: string): readonly string[] {
    const [path = ''] = url.split('?', 1);
    const segments = segmentsOf(path);
    const methods = new Set<string>();
    for (const known of this.#paths) {
      if (!matches(known.segments, segments)) continue;
      for (const method of known.methods) methods.add(method);
    }
    return [...methods].toSorted();
  }
}

/** Whether HEAD tells what GET would. */
export function takesHead({ method, hasEffect }: Pick<Route, 'method' | 'hasEffect'>): boolean {
  return method === 'GET' && hasEffect !== true;
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
