import type { Shaping } from '../fault-board.ts';
import { injectedError } from '../injected-error.ts';
import type { InjectedError } from '../injected-error.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { bearerToken } from '../credentials.ts';
import { bodyParams, queryParams } from './oauth-params.ts';
import type { OAuthParams } from './oauth-params.ts';

/** A call to an endpoint of an authorization server. */
export interface OAuthCall extends UpstreamCall {
  readonly route: OAuthRoute | undefined;
  readonly params: OAuthParams;
  readonly query: OAuthParams;
  readonly form: OAuthParams;
  /** What stands for `{id}` in the path; empty without one. */
  readonly id: string;
  /** The Authorization header. */
  readonly authorization: string | undefined;
}

/** One endpoint of an authorization server. */
export interface OAuthRoute {
  /** Verb and path, such as `POST /oauth/tokens`: what faults and the log call it. */
  readonly name: string;
  /** It answers with a page for people. */
  readonly showsPage?: boolean;
  run(call: OAuthCall): UpstreamAnswer;
}

/** How a vendor says that something is wrong. */
export interface OAuthErrors {
  notFound(): UpstreamAnswer;
  /** The error that a fault asks for. */
  injected(error: InjectedError): UpstreamAnswer;
  rateLimited(retryAfterSeconds: number): UpstreamAnswer;
  failed(status: number): UpstreamAnswer;
}

/** Where endpoints lie, and what they need. */
export interface OAuthEndpointsOptions {
  readonly basePath: string;
  /** What the names of routes have before the path below `basePath`, such as `/oauth`. */
  readonly namePrefix: string;
  readonly routes: readonly OAuthRoute[];
  readonly errors: OAuthErrors;
  /** Told of every call that arrives; what it gives back is called at the end of the call. */
  readonly begin?: (params: OAuthParams) => (() => void) | undefined;
}

/** Endpoints of an authorization server that lie beside the vendor's API. */
export class OAuthEndpoints implements Upstream<OAuthCall> {
  readonly basePath: string;
  readonly #options: OAuthEndpointsOptions;
  readonly #routes: ReadonlyMap<string, OAuthRoute>;

  constructor(options: OAuthEndpointsOptions) {
    this.basePath = options.basePath;
    this.#options = options;
    this.#routes = new Map(options.routes.map((route) => [route.name, route]));
  }

  read(request: IncomingRequest): OAuthCall {
    const { route, id } = this.#find(request);
    const query = queryParams(request.query);
    const form = bodyParams(request);
    return {
      method: route?.name ?? '',
      route,
      id,
      query,
      form,
      params: { ...query, ...form },
      authorization: request.authorization,
      token: bearerToken(request.authorization),
      pages: false,
      writes: request.verb !== 'GET',
      showsPage: route?.showsPage ?? false,
    };
  }

  begin({ params }: OAuthCall): (() => void) | undefined {
    return this.#options.begin?.(params);
  }

  answer(call: OAuthCall, shaping: readonly Shaping[]): UpstreamAnswer {
    const { errors } = this.#options;
    if (call.route === undefined) return errors.notFound();
    const before = injectedError(shaping, 'before');
    if (before !== undefined) return errors.injected(before);
    const answer = withOpenerPolicy(call.route.run(call), shaping);
    const after = injectedError(shaping, 'after');
    return after === undefined ? answer : errors.injected(after);
  }

  rateLimited(_call: OAuthCall, retryAfterSeconds: number): UpstreamAnswer {
    return this.#options.errors.rateLimited(retryAfterSeconds);
  }

  failed(_call: OAuthCall, status: number): UpstreamAnswer {
    return this.#options.errors.failed(status);
  }

  #find({ verb, path }: IncomingRequest): { route: OAuthRoute | undefined; id: string } {
    const { namePrefix } = this.#options;
    const whole = path === '' ? namePrefix : `${namePrefix}/${path.replace(/\.json$/, '')}`;
    const fixed = this.#routes.get(`${verb} ${whole}`);
    if (fixed !== undefined) return { route: fixed, id: '' };
    const slash = whole.lastIndexOf('/');
    const route = this.#routes.get(`${verb} ${whole.slice(0, slash)}/{id}`);
    return { route, id: whole.slice(slash + 1) };
  }
}

function withOpenerPolicy(answer: UpstreamAnswer, shaping: readonly Shaping[]): UpstreamAnswer {
  if (!shaping.some(({ fault }) => fault.kind === 'cutOpener')) return answer;
  return { ...answer, headers: [...answer.headers, 'cross-origin-opener-policy', 'same-origin'] };
}
