import type { JsonBody } from '../body-shaping.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { Grant } from '../oauth/grant.ts';
import type { PagingChange } from './collection.ts';
import type { Parameters } from './parameters.ts';
import type { Workspace } from './workspace.ts';

/** Whose token a call was made with. */
export interface Caller {
  /** Empty for endpoints that want none. */
  readonly token: string;
  /** The consent that it was issued for; undefined for tokens that were made by hand. */
  readonly grant: Grant | undefined;
}

/** A call as an endpoint sees it. */
export interface EndpointCall {
  readonly caller: Caller;
  readonly server: AuthorizationServer;
  /** What stands for `https://api.intercom.io`. */
  readonly url: string;
  /** The caller's workspace. */
  readonly workspace: Workspace;
  /** What stands for `{id}` in the path; empty without one. */
  readonly id: string;
  readonly parameters: Parameters;
}

/** What an endpoint answers. */
export interface EndpointAnswer {
  /** The body, or the bytes of a cached one. */
  readonly body: JsonBody | Buffer;
  /** Changes the first record of the next page, when there is one. */
  disturb?(change: PagingChange): void;
}

/** One endpoint of the API. */
export interface Endpoint {
  readonly verb: 'GET' | 'POST';
  /** The path with `{id}` for its variable part. */
  readonly path: string;
  /** It answers in pages. */
  readonly pages: boolean;
  /** It wants no token. */
  readonly isOpen?: boolean;
  run(call: EndpointCall): EndpointAnswer;
}
