import type { Action } from '../vocabulary/index.ts';

/** A request before it has a host, credentials or a deadline. */
export interface BuiltRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the base URL. */
  readonly path: string;
  readonly body: string | undefined;
}

/** Builds the request of an action from checked params: path, query, JSON body. */
export function buildRequest(
  action: Pick<Action, 'request' | 'params' | 'constants'>,
  params: Readonly<Record<string, unknown>>,
): BuiltRequest {
  const { method, template } = splitRequestLine(action.request);
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const isBodyMethod = method !== 'GET';
  const put = (name: string, value: unknown, goesTo: 'query' | 'body' | 'nowhere' | undefined) => {
    if (goesTo === 'nowhere') return;
    if (goesTo === 'body' || (goesTo === undefined && isBodyMethod)) putAt(body, name, value);
    else query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(action.constants ?? {})) put(name, value, undefined);
  for (const [name, param] of Object.entries(action.params)) {
    const value = params[name] ?? param.default;
    if (value === undefined || template.includes(`{${name}}`)) continue;
    if (value === '' && param.isEmptyOmitted === true) continue;
    if (param.omittedWith !== undefined && params[param.omittedWith] !== undefined) continue;
    const { upstreamName = name, upstreamNameWith: other } = param;
    const isGiven = (each: string) => params[each] !== undefined;
    const isUsual = other?.unless !== undefined && isGiven(other.unless);
    const isOther = other?.params.some(isGiven) === true && !isUsual;
    const isOfDigits = typeof value === 'string' && /^\d+$/.test(value);
    const ofDigits = isOfDigits ? param.upstreamNameOfDigits : undefined;
    put(ofDigits ?? (isOther ? other.name : upstreamName), value, param.goesTo);
  }
  const path = template.replace(/\{([a-z0-9_]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name]).toWellFormed()),
  );
  const queryText = query.toString();
  return {
    method,
    path: queryText === '' ? path : `${path}?${queryText}`,
    body: isBodyMethod ? JSON.stringify(body) : undefined,
  };
}

/** Dots in the name lead into objects. */
function putAt(body: Record<string, unknown>, name: string, value: unknown): void {
  const segments = name.split('.');
  const last = segments.pop() ?? name;
  let at = body;
  for (const segment of segments) {
    // Only this function fills the body: what a name leads through is an object of its making.
    at = (at[segment] ??= {}) as Record<string, unknown>;
  }
  at[last] = value;
}

function splitRequestLine(requestLine: Action['request']): {
  method: BuiltRequest['method'];
  template: string;
} {
  const space = requestLine.indexOf(' ');
  return {
    // A RequestLine begins with one of the five methods, by its type.
    method: requestLine.slice(0, space) as BuiltRequest['method'],
    template: requestLine.slice(space + 1),
  };
}
