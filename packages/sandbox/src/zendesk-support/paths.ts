import { SUPPORT_ENDPOINTS } from './endpoints.ts';

/** A path of an endpoint, taken apart. */
export interface MatchedPath {
  readonly template: string;
  /** The parts of the path where the template has names, in order. */
  readonly ids: readonly string[];
}

interface Route {
  readonly template: string;
  readonly segments: readonly string[];
}

const ROUTES = routesByLength();

/** The template that fits a path, which may end in `.json` or not; undefined if none does. */
export function matchPath(path: string): MatchedPath | undefined {
  const segments = (path.endsWith('.json') ? path.slice(0, -5) : path).split('/');
  for (const { template, segments: wanted } of ROUTES.get(segments.length) ?? []) {
    const isMatch = wanted.every((part, nth) => part.startsWith('{') || part === segments[nth]);
    if (!isMatch) continue;
    return { template, ids: segments.filter((_, nth) => wanted[nth]?.startsWith('{')) };
  }
  return undefined;
}

function routesByLength(): ReadonlyMap<number, readonly Route[]> {
  const routes = [...SUPPORT_ENDPOINTS.keys()].map((template) => ({
    template,
    segments: template.slice(1).split('/'),
  }));
  return Map.groupBy(routes, ({ segments }) => segments.length);
}
