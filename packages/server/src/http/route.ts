import type { StrangersWait } from '../admission/admission.ts';
import type { CallTimes } from '@patchbay/connectors/engine';
import type { VerifiedToken } from '../access/access.ts';
import type { RouteClass } from '../access/reach.ts';
import type { CallLog } from '../call-log.ts';
import type { OnDisconnect } from '../operations/active-calls.ts';
import type { JsonBody } from './json-body.ts';
import type { Pieces } from './long-text.ts';
import type { SharedText } from './shared-text.ts';

/** One request, as handlers see it. */
export interface PublicCall {
  readonly requestId: string;
  /** Path parameters. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: JsonBody;
  /** It came by one of the paths that clients of other generations use. */
  readonly isAlso: boolean;
  /** When its headers were here, by the monotonic clock. */
  readonly arrivedAt: number;
  /** Source address. */
  readonly address: string;
  /** Its client used https, as far as proxies that are trusted say. */
  readonly isHttps: boolean;
  readonly log: CallLog;
  /** Added up where the answers of the route tell it. */
  readonly times: CallTimes | undefined;
  readonly header: (name: string) => string | undefined;
  /** Whether the request has a header more than once: Node makes one value of them. */
  readonly hasTwice: (name: string) => boolean;
  readonly onDisconnect: OnDisconnect;
  /** Has headers told by whatever answer it gets, that of a failure included. */
  readonly tellAnyway: (headers: NonNullable<Answer['headers']>) => void;
}

/** A request with a verified token. */
export interface Call extends PublicCall, VerifiedToken {}

/** What goes out: a JSON value, text that is ready or in pieces, or bytes that are still to come. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  /** Text that is the same for everybody. */
  readonly shared?: SharedText;
  readonly pieces?: Pieces;
  readonly stream?: AsyncIterable<Uint8Array>;
  /** So many bytes at the beginning of a stream are in memory until they have been taken. */
  readonly streamBytesHeld?: number;
  /** Gives up a stream that nobody has begun to read. */
  readonly discard?: () => void;
  /** Content type of what is no `body`; JSON unless said. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The answer to a read, which may be refused and asked for again; those to GET are, unless said. */
  readonly isRepeatable?: boolean;
}

/** What the OpenAPI document says about a route besides its path. */
export interface RouteDoc {
  readonly summary: string;
  readonly tag: string;
  readonly query?: readonly RouteParameter[];
  /** What the query says may be members of a JSON body instead. */
  readonly isQueryInBody?: true;
  readonly headers?: readonly RouteParameter[];
  /** The media types that a client has to accept, where it has to say so. */
  readonly accept?: string;
  /** JSON Schema of the request body; without one, members of a body are refused. */
  readonly body?: object;
  /** The same on the further paths, where clients of other generations send less. */
  readonly alsoBody?: object;
  /** JSON Schema of the answer; absent for answers that are no JSON. */
  readonly answer?: object;
  readonly status?: number;
  readonly type?: string;
  /** It has an entity tag, and is not sent to whoever has it. */
  readonly isTagged?: true;
  /** What else it answers, by status, `default` for failures: media types with their schemas, none where there is no body. */
  readonly further?: Readonly<Record<string, Media>>;
}

/** Schemas by media type; `undefined` of what no schema describes. */
export type Media = Readonly<Record<string, object | undefined>>;

export interface RouteParameter {
  readonly name: string;
  readonly doc: string;
  readonly schema: object;
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` marks a path parameter. */
  readonly path: string;
  /** Further paths, for clients of other generations. */
  readonly also?: readonly string[];
  readonly doc: RouteDoc;
  /** It changes something, though it is asked for with GET: HEAD, which may come from whoever looks ahead, is refused. */
  readonly hasEffect?: true;
  /** It is answered at the rate limit of its application, too: it ends what somebody may have stolen, and used that up with. */
  readonly isBeyondRateLimit?: true;
  /** Its answers, and its refusals, tell where the time went: `Server-Timing`. */
  readonly tellsTimes?: true;
}

export interface PublicRoute extends RouteBase {
  readonly reach: 'public';
  /** What it has to wait for. Whoever makes such calls without a token, they have few turns, and among themselves. */
  readonly waitsFor?: StrangersWait;
  /**
   * Of one that waits for an upstream: what the database says of whoever calls, by a turn of those that wait for nothing
   * else. What it answers ends the call, as what it throws does.
   */
  lookUp?(call: PublicCall): Promise<Answer | undefined>;
  handle(call: PublicCall): Answer | Promise<Answer>;
}

export interface TokenRoute extends RouteBase {
  readonly reach: Exclude<RouteClass, 'public'>;
  handle(call: Call): Answer | Promise<Answer>;
}

/** One route: where it is, who may call it, what it does. Fastify, OpenAPI and tests read it. */
export type Route = PublicRoute | TokenRoute;
