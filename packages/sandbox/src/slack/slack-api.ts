import { withArrays, withUnknownFields } from '../body-shaping.ts';
import type { JsonBody } from '../body-shaping.ts';
import { bearerToken } from '../credentials.ts';
import type { Shaping } from '../fault-board.ts';
import { injectedError } from '../injected-error.ts';
import { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { OAuthSettings } from '../oauth/authorization-server.ts';
import { textsOf } from '../oauth/oauth-params.ts';
import { TokenBuckets } from '../token-buckets.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { SlackAccounts } from './accounts.ts';
import { formToken, readArguments, requireArguments, textArgument } from './arguments.ts';
import type { ReadArguments } from './arguments.ts';
import { checkToken } from './credentials.ts';
import { slackRules } from './oauth-app.ts';
import { APP_LIMITS, bucketsOf } from './rate-tiers.ts';
import type { AppLimits, SlackDistribution } from './rate-tiers.ts';
import { mapSlackRecords, nextCursorOf, withRepeatedCursor } from './shaping.ts';
import { SlackError } from './slack-error.ts';
import type { Caller, MethodAnswer, MethodCall, SlackMethod } from './slack-method.ts';
import { GRANTED_SCOPES, SLACK_METHODS } from './slack-methods.ts';
import type { WorldOptions } from './world.ts';

/** How the simulated Slack is set up. */
export interface SlackApiOptions extends WorldOptions {
  readonly limits: 'off' | 'vendor';
  readonly clock: () => number;
  readonly oauth: OAuthSettings;
  readonly slackDistribution: SlackDistribution;
}

/** A call read from a request; its `problem` is answered once the method is known to exist. */
export interface SlackCall extends UpstreamCall {
  readonly definition: SlackMethod | undefined;
  readonly warnings: readonly string[];
  /** The Authorization header. */
  readonly authorization: string | undefined;
  /** The scopes of its token. */
  readonly scopes: string;
  readonly problem: SlackError | undefined;
}

/**
 * Slack's Web API at `<basePath>/<method>`.
 *
 * @see https://docs.slack.dev/apis/web-api/
 */
export class SlackApi implements Upstream<SlackCall> {
  readonly basePath = '/slack/api';
  readonly server: AuthorizationServer;
  readonly #accounts: SlackAccounts;
  readonly #appLimits: AppLimits;
  readonly #buckets: TokenBuckets | undefined;
  readonly #clock: () => number;

  constructor(options: SlackApiOptions) {
    this.#accounts = new SlackAccounts(options, options.clock);
    this.server = new AuthorizationServer(slackRules(this.#accounts), options.oauth);
    this.#appLimits = APP_LIMITS[options.slackDistribution];
    this.#buckets = options.limits === 'vendor' ? new TokenBuckets() : undefined;
    this.#clock = options.clock;
  }

  read(request: IncomingRequest): SlackCall {
    const method = request.path;
    const token = bearerToken(request.authorization) ?? formToken(request);
    const definition = SLACK_METHODS.get(method);
    const read = readSafely(request, definition?.takesJson ?? false);
    const { args, warnings } = read instanceof SlackError ? NOTHING_READ : read;
    return {
      method,
      definition,
      authorization: request.authorization,
      token,
      scopes: this.server.book.grantOf(token)?.scopes ?? GRANTED_SCOPES,
      params: args,
      warnings,
      problem: read instanceof SlackError ? read : undefined,
      pages: definition?.pages ?? false,
      writes: definition?.writes ?? false,
    };
  }

  begin({ method, params }: SlackCall): (() => void) | undefined {
    return method === 'oauth.v2.access' ? this.server.begin(textsOf(params)) : undefined;
  }

  answer(call: SlackCall, shaping: readonly Shaping[]): UpstreamAnswer {
    try {
      const { definition, caller } = this.#admit(call);
      refuseByFault(shaping, 'before');
      const waitSeconds = this.#waitSeconds(call, definition, caller);
      if (waitSeconds > 0) return this.rateLimited(call, waitSeconds);
      requireArguments(call.params, definition.required);
      const isBare = shaping.some(({ fault }) => fault.kind === 'bareWrites');
      const methodCall = {
        caller,
        workspace: this.#accounts.workspace(caller.grant?.person.account.id),
        accounts: this.#accounts,
        server: this.server,
        authorization: call.authorization,
        args: call.params,
        mostMessages: this.#appLimits.mostMessages,
        isBare,
      };
      const answer = definition.run(methodCall);
      refuseByFault(shaping, 'after');
      const isPlain = Buffer.isBuffer(answer) && shaping.length === 0;
      if (isPlain && call.warnings.length === 0) return respond(call, 200, answer);
      const body = withWarnings(bodyOf(answer), call.warnings);
      const shaped = shapeBody(body, shaping);
      disturb(definition, { methodCall, body, shaping });
      return respond(call, 200, Buffer.from(JSON.stringify(shaped)));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      const refusal = withWarnings({ ok: false, error: error.code, ...error.extra }, call.warnings);
      return respond(call, error.status, Buffer.from(JSON.stringify(refusal)));
    }
  }

  rateLimited(call: SlackCall, retryAfterSeconds: number): UpstreamAnswer {
    const answer = respond(call, 429, Buffer.from('{"ok":false,"error":"ratelimited"}'));
    return { ...answer, headers: [...answer.headers, 'retry-after', String(retryAfterSeconds)] };
  }

  failed(call: SlackCall, status: number): UpstreamAnswer {
    const error = status === 503 ? 'service_unavailable' : 'internal_error';
    return respond(call, status, Buffer.from(JSON.stringify({ ok: false, error })));
  }

  /**
   * The method of a call and who calls, after checking them.
   *
   * @throws SlackError `unknown_method`, what is wrong with the request, or the token's refusal.
   */
  #admit(call: SlackCall): { readonly definition: SlackMethod; readonly caller: Caller } {
    const { definition, problem, method } = call;
    if (definition === undefined) throw new SlackError('unknown_method', { req_method: method });
    if (problem !== undefined) throw problem;
    if (definition.isOpen === true) return { definition, caller: NOBODY };
    const caller = checkToken(call.token, this.server.book);
    checkScopes(definition, caller);
    return { definition, caller };
  }

  #waitSeconds(call: SlackCall, definition: SlackMethod, caller: Caller): number {
    if (this.#buckets === undefined) return 0;
    const { method } = call;
    const channel = textArgument(call.params, 'channel');
    return this.#buckets.take(
      bucketsOf(definition.tier, this.#appLimits, { method, app: appOf(caller), channel }),
      this.#clock(),
    );
  }
}

/** The app in a workspace, as limits count it; a token made by hand is an app of its own. */
function appOf({ token, grant }: Caller): string {
  return grant === undefined ? token : `${grant.client.id} in ${grant.person.account.id}`;
}

const NOBODY: Caller = { token: '', grant: undefined };
const NOTHING_READ: ReadArguments = { args: {}, warnings: [] };

function readSafely(request: IncomingRequest, takesJson: boolean): ReadArguments | SlackError {
  if (request.verb !== 'GET' && request.verb !== 'POST') {
    return new SlackError('invalid_http_method', { message: 'Slack answers GET and POST only.' });
  }
  try {
    return readArguments(request, takesJson);
  } catch (error) {
    if (error instanceof SlackError) return error;
    throw error;
  }
}

function checkScopes({ scopes }: SlackMethod, { grant }: Caller): void {
  if (grant === undefined || scopes === '') return;
  const granted = grant.scopes.split(',');
  if (scopes.split(',').some((scope) => granted.includes(scope))) return;
  throw new SlackError('missing_scope', { needed: scopes, provided: grant.scopes });
}

function refuseByFault(shaping: readonly Shaping[], stage: 'before' | 'after'): void {
  const isRevoked = shaping.some(({ fault }) => fault.kind === 'revokeToken');
  if (isRevoked && stage === 'before') throw new SlackError('token_revoked');
  const injected = injectedError(shaping, stage);
  if (injected !== undefined) throw new SlackError(injected.code, {}, injected.status);
}

function bodyOf(answer: MethodAnswer): JsonBody {
  if (!Buffer.isBuffer(answer)) return { ok: true, ...answer };
  // Proven: methods give bytes only of JSON objects that they made themselves.
  return JSON.parse(answer.toString('utf8')) as JsonBody;
}

function withWarnings(body: JsonBody, warnings: readonly string[]): JsonBody {
  if (warnings.length === 0) return body;
  const { response_metadata: metadata, warning } = body;
  const all = [...(typeof warning === 'string' ? [warning] : []), ...warnings];
  const known = typeof metadata === 'object' ? metadata : {};
  return {
    ...body,
    warning: all.join(','),
    response_metadata: { ...known, warnings: all },
  };
}

function shapeBody(body: JsonBody, shaping: readonly Shaping[]): unknown {
  let shaped = body;
  for (const { fault, memory } of shaping) {
    if (fault.kind === 'repeatCursor') shaped = withRepeatedCursor(shaped, memory);
    if (fault.kind === 'unknownFields') shaped = withUnknownFields(shaped, mapSlackRecords);
  }
  for (const { fault } of shaping) {
    if (fault.kind === 'arrayBody') {
      return withArrays(shaped, fault.where ?? 'records', mapSlackRecords);
    }
  }
  return shaped;
}

interface Page {
  readonly methodCall: MethodCall;
  readonly body: JsonBody;
  readonly shaping: readonly Shaping[];
}

function disturb(definition: SlackMethod, { methodCall, body, shaping }: Page): void {
  const cursor = nextCursorOf(body);
  if (cursor === undefined) return;
  for (const { fault } of shaping) {
    if (fault.kind === 'mutateWhilePaging') definition.disturb?.(methodCall, fault.change, cursor);
  }
}

function respond(call: SlackCall, status: number, body: Buffer): UpstreamAnswer {
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'x-oauth-scopes',
    call.scopes,
    'x-accepted-oauth-scopes',
    call.definition?.scopes ?? '',
  ];
  return { status, headers, body };
}
