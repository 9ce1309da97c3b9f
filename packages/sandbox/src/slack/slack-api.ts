import { withArrays, withUnknownFields } from '../body-shaping.ts';
import type { JsonBody } from '../body-shaping.ts';
import { bearerToken } from '../credentials.ts';
import type { Shaping } from '../fault-board.ts';
import { injectedError } from '../injected-error.ts';
import { TokenBuckets } from '../token-buckets.ts';
import type { IncomingRequest, Upstream, UpstreamAnswer, UpstreamCall } from '../upstream.ts';
import { formToken, readArguments, requireArguments, textArgument } from './arguments.ts';
import type { ReadArguments } from './arguments.ts';
import { checkToken } from './credentials.ts';
import { bucketsOf } from './rate-tiers.ts';
import { mapSlackRecords, nextCursorOf, withRepeatedCursor } from './shaping.ts';
import { SlackError } from './slack-error.ts';
import type { MethodAnswer, MethodCall, SlackMethod } from './slack-method.ts';
import { GRANTED_SCOPES, SLACK_METHODS } from './slack-methods.ts';
import { Workspace } from './workspace.ts';
import { World } from './world.ts';
import type { WorldOptions } from './world.ts';

/** How the simulated Slack is set up. */
export interface SlackApiOptions extends WorldOptions {
  readonly limits: 'off' | 'vendor';
  readonly clock: () => number;
}

/** A call read from a request; its `problem` is answered once the method is known to exist. */
export interface SlackCall extends UpstreamCall {
  readonly definition: SlackMethod | undefined;
  readonly warnings: readonly string[];
  readonly problem: SlackError | undefined;
}

/**
 * Slack's Web API at `<basePath>/<method>`.
 *
 * @see https://docs.slack.dev/apis/web-api/
 */
export class SlackApi implements Upstream<SlackCall> {
  readonly basePath = '/slack/api';
  readonly #workspace: Workspace;
  readonly #buckets: TokenBuckets | undefined;
  readonly #clock: () => number;

  constructor(options: SlackApiOptions) {
    this.#workspace = new Workspace(new World(options), options.clock);
    this.#buckets = options.limits === 'vendor' ? new TokenBuckets() : undefined;
    this.#clock = options.clock;
  }

  read(request: IncomingRequest): SlackCall {
    const method = request.path;
    const definition = SLACK_METHODS.get(method);
    const read = readSafely(request, definition?.takesJson ?? false);
    const { args, warnings } = read instanceof SlackError ? NOTHING_READ : read;
    return {
      method,
      definition,
      token: bearerToken(request.authorization) ?? formToken(request),
      params: args,
      warnings,
      problem: read instanceof SlackError ? read : undefined,
      pages: definition?.pages ?? false,
      writes: definition?.writes ?? false,
    };
  }

  answer(call: SlackCall, shaping: readonly Shaping[]): UpstreamAnswer {
    try {
      const { definition, token } = admit(call);
      refuseByFault(shaping, 'before');
      const waitSeconds = this.#waitSeconds(call, definition, token);
      if (waitSeconds > 0) return this.rateLimited(call, waitSeconds);
      requireArguments(call.params, definition.required);
      const isBare = shaping.some(({ fault }) => fault.kind === 'bareWrites');
      const methodCall = { workspace: this.#workspace, args: call.params, isBare };
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

  #waitSeconds(call: SlackCall, definition: SlackMethod, token: string): number {
    if (this.#buckets === undefined) return 0;
    const { method } = call;
    const channel = textArgument(call.params, 'channel');
    return this.#buckets.take(
      bucketsOf(definition.tier, { method, token, channel }),
      this.#clock(),
    );
  }
}

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

/**
 * The method and the token of a call, after checking them.
 *
 * @throws SlackError `unknown_method`, what is wrong with the request, or the token's refusal.
 */
function admit(call: SlackCall): { readonly definition: SlackMethod; readonly token: string } {
  const { definition, problem, method } = call;
  if (definition === undefined) throw new SlackError('unknown_method', { req_method: method });
  if (problem !== undefined) throw problem;
  return { definition, token: checkToken(call.token) };
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
    GRANTED_SCOPES,
    'x-accepted-oauth-scopes',
    call.definition?.scopes ?? '',
  ];
  return { status, headers, body };
}
