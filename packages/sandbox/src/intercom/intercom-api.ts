import { randomUUID } from 'node:crypto';

import { isJsonObject, withArrays, withUnknownFields } from '../body-shaping.ts';
import type { JsonBody } from '../body-shaping.ts';
import { bearerToken } from '../credentials.ts';
import type { Shaping } from '../fault-board.ts';
import { injectedError } from '../injected-error.ts';
import { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { OAuthSettings } from '../oauth/authorization-server.ts';
import { queryParams } from '../oauth/oauth-params.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { IntercomAccounts } from './accounts.ts';
import { API_VERSION, checkVersion } from './api-versions.ts';
import { checkToken, tokenRevoked } from './credentials.ts';
import type { Caller, EndpointAnswer } from './endpoint.ts';
import { endpointName, findRoute, hasOtherVerb } from './intercom-endpoints.ts';
import type { Route } from './intercom-endpoints.ts';
import { IntercomError } from './intercom-error.ts';
import { intercomRules } from './oauth-app.ts';
import type { Parameters } from './parameters.ts';
import { RateWindows } from './rate-windows.ts';
import type { RateState } from './rate-windows.ts';
import { mapIntercomRecords, withRepeatedCursor } from './shaping.ts';
import type { WorldOptions } from './world.ts';

/** How the simulated Intercom is set up. */
export interface IntercomApiOptions extends WorldOptions {
  /** The origin below which the API is. */
  readonly origin: string;
  readonly limits: 'off' | 'vendor';
  readonly clock: () => number;
  readonly oauth: OAuthSettings;
}

/** A call read from a request; its `problem` is answered once token and version were checked. */
export interface IntercomCall extends UpstreamCall {
  readonly route: Route | undefined;
  readonly version: string | undefined;
  readonly problem: IntercomError | undefined;
}

/**
 * Intercom's REST API, version 2.11, below `<basePath>`.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io
 */
export class IntercomApi implements Upstream<IntercomCall> {
  readonly basePath = '/intercom';
  readonly server: AuthorizationServer;
  readonly #accounts: IntercomAccounts;
  readonly #windows: RateWindows;
  readonly #clock: () => number;
  readonly #url: string;

  constructor(options: IntercomApiOptions) {
    this.#url = `${options.origin}${this.basePath}`;
    this.#accounts = new IntercomAccounts(options, options.clock);
    this.server = new AuthorizationServer(intercomRules(this.#accounts), options.oauth);
    this.#windows = new RateWindows(options.limits === 'vendor');
    this.#clock = options.clock;
  }

  read(request: IncomingRequest): IntercomCall {
    const { verb, path } = request;
    const route = findRoute(verb, path);
    const parameters = readParameters(request, route?.endpoint.isOpen ?? false);
    const isRead = !(parameters instanceof IntercomError);
    const version = request.headers['intercom-version'];
    return {
      method: route === undefined ? '' : endpointName(route.endpoint),
      route,
      token: bearerToken(request.authorization),
      params: isRead ? parameters : {},
      version: typeof version === 'string' ? version : undefined,
      problem: problemOf(request, route) ?? (isRead ? undefined : parameters),
      pages: route?.endpoint.pages ?? false,
      writes: false,
    };
  }

  answer(call: IntercomCall, shaping: readonly Shaping[]): UpstreamAnswer {
    const rate = this.#windows.take(call.token ?? '', this.#clock());
    try {
      const { endpoint, id, caller } = this.#admit(call, shaping);
      if (rate.isRefused) throw limitExceeded();
      const answer = endpoint.run({
        caller,
        server: this.server,
        url: this.#url,
        workspace: this.#accounts.workspace(caller.grant?.person.account.id),
        id,
        parameters: call.params,
      });
      const refused = injectedError(shaping, 'after');
      if (refused !== undefined) throw injected(refused);
      const bytes = shapedBytes(answer, shaping);
      disturb(answer, shaping);
      return respond(200, bytes, rate);
    } catch (error) {
      if (!(error instanceof IntercomError)) throw error;
      return refuse(error, rate);
    }
  }

  rateLimited(call: IntercomCall, retryAfterSeconds: number): UpstreamAnswer {
    const now = this.#clock();
    const rate = this.#windows.take(call.token ?? '', now);
    const resetsAt = Math.ceil(now / 1_000) + retryAfterSeconds;
    return refuse(limitExceeded(), { ...rate, remaining: 0, resetsAt });
  }

  failed(call: IntercomCall, status: number): UpstreamAnswer {
    const rate = this.#windows.take(call.token ?? '', this.#clock());
    const code = status === 503 ? 'service_unavailable' : 'server_error';
    return refuse(new IntercomError(status, code, 'Something went wrong on the way'), rate);
  }

  /**
   * The endpoint of a call and who calls, after checking token, version and parameters.
   *
   * @throws IntercomError for the first check that fails, or the error that a fault asks for.
   */
  #admit(
    { token, version, problem, route }: IntercomCall,
    shaping: readonly Shaping[],
  ): Route & { readonly caller: Caller } {
    const isOpen = route?.endpoint.isOpen === true;
    const caller = isOpen ? NOBODY : checkToken(token, this.server.book);
    if (shaping.some(({ fault }) => fault.kind === 'revokeToken')) throw tokenRevoked();
    const refused = injectedError(shaping, 'before');
    if (refused !== undefined) throw injected(refused);
    checkVersion(version);
    if (problem !== undefined) throw problem;
    // A call without a route has a problem, thrown above; this check only narrows the type.
    if (route === undefined) throw notFound();
    return { ...route, caller };
  }
}

const NOBODY: Caller = { token: '', grant: undefined };

function problemOf(
  { verb, path }: IncomingRequest,
  route: Route | undefined,
): IntercomError | undefined {
  if (route !== undefined) return undefined;
  if (!hasOtherVerb(path)) return notFound();
  return new IntercomError(405, 'unsupported', `the sandbox has no ${verb} /${path}`);
}

function notFound(): IntercomError {
  return new IntercomError(404, 'not_found', 'Resource Not Found');
}

function limitExceeded(): IntercomError {
  return new IntercomError(429, 'rate_limit_exceeded', 'No calls are left in this window');
}

function injected({ code, status }: { code: string; status: number | undefined }): IntercomError {
  return new IntercomError(status ?? 400, code, 'This error was asked for');
}

function readParameters(request: IncomingRequest, takesForms: boolean): Parameters | IntercomError {
  const { query, body, contentType } = request;
  const asked = query === '' ? {} : queryParams(query);
  if (body.length === 0) return asked;
  const isForm = contentType?.startsWith('application/x-www-form-urlencoded') ?? false;
  if (isForm && takesForms) return { ...asked, ...queryParams(body.toString('utf8')) };
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (isJsonObject(parsed)) return { ...asked, ...parsed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new IntercomError(400, 'bad_request', 'The body must be a JSON object');
}

function shapedBytes(answer: EndpointAnswer, shaping: readonly Shaping[]): Buffer {
  const { body } = answer;
  if (Buffer.isBuffer(body) && shaping.length === 0) return body;
  // Proven: endpoints give bytes only of JSON objects that they made themselves.
  const parsed = Buffer.isBuffer(body) ? (JSON.parse(body.toString('utf8')) as JsonBody) : body;
  return Buffer.from(JSON.stringify(shapeBody(parsed, shaping)));
}

function shapeBody(body: JsonBody, shaping: readonly Shaping[]): unknown {
  let shaped = body;
  for (const { fault, memory } of shaping) {
    if (fault.kind === 'repeatCursor') shaped = withRepeatedCursor(shaped, memory);
    if (fault.kind === 'unknownFields') shaped = withUnknownFields(shaped, mapIntercomRecords);
  }
  for (const { fault } of shaping) {
    if (fault.kind === 'arrayBody') {
      return withArrays(shaped, fault.where ?? 'records', mapIntercomRecords);
    }
  }
  return shaped;
}

function disturb(answer: EndpointAnswer, shaping: readonly Shaping[]): void {
  for (const { fault } of shaping) {
    if (fault.kind === 'mutateWhilePaging') answer.disturb?.(fault.change);
  }
}

function refuse({ status, code, message }: IntercomError, rate: RateState): UpstreamAnswer {
  const body = { type: 'error.list', request_id: randomUUID(), errors: [{ code, message }] };
  return respond(status, Buffer.from(JSON.stringify(body)), rate);
}

function respond(status: number, body: Buffer, rate: RateState): UpstreamAnswer {
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'intercom-version',
    API_VERSION,
    'x-ratelimit-limit',
    String(rate.limit),
    'x-ratelimit-remaining',
    String(rate.remaining),
    'x-ratelimit-reset',
    String(rate.resetsAt),
  ];
  return { status, headers, body };
}
