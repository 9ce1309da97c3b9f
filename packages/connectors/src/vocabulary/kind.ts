import type { AuthMethods } from './auth.ts';
import type { Distributions } from './distribution.ts';
import type { Entity } from './entity.ts';
import type { Identity } from './identity.ts';
import type { OAuthServer } from './oauth.ts';
import type { Policies, RateHeaders } from './policies.ts';
import type { Settings } from './setting.ts';
import type { UpstreamErrors } from './upstream-errors.ts';

export type Entities = { readonly [name: string]: Entity };

/** A read that proves that the credentials work for an entity. */
export interface CheckCall {
  readonly entity: string;
  readonly action: 'list' | 'get';
  readonly params: { readonly [name: string]: string | number | boolean };
}

/** A connector kind: everything Patchbay knows of one upstream, as data. */
export interface ConnectorKind<
  E extends Entities = Entities,
  A extends AuthMethods = AuthMethods,
  C extends Settings = Settings,
  R extends Settings = Settings,
  L extends readonly string[] = readonly string[],
  D extends string = string,
  N extends string = string,
> {
  /** The canonical name, for example `chat-workspace`. */
  readonly kind: N;
  /** The product's name, for people. */
  readonly displayName: string;
  readonly aliases: L;
  readonly definitionId: string;
  readonly doc: string;
  readonly reference: string;
  /** `{name}` stands for a config variable. */
  readonly baseUrl: string;
  readonly auth: A;
  /** Where the methods with grants have their tokens from. */
  readonly oauth?: OAuthServer;
  /** How the upstream says whose credentials are. */
  readonly identity?: Identity;
  readonly config: C;
  readonly replicationConfig: R;
  /** Whether creating a connector requires a replication config. */
  readonly requiresReplicationConfig: boolean;
  /** What stands for required members where a person connects, whom nobody asks for them. */
  readonly usualReplicationConfig?: {
    readonly [name: string]: string | number | boolean | { readonly daysAgo: number };
  };
  readonly headers?: { readonly [name: string]: string };
  readonly errors: UpstreamErrors;
  readonly policies?: Policies;
  readonly rateHeaders?: RateHeaders;
  /** Where the upstream's terms depend on how the app that calls reaches accounts. */
  readonly distributions?: Distributions<D>;
  readonly checks: readonly CheckCall[];
  readonly entities: E;
  /** Everything that the service reference does not list, as dotted paths, but what is within one. */
  readonly extensions: readonly string[];
}
