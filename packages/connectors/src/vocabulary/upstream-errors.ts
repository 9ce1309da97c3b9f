import type { BodyPath } from './body-path.ts';

/** Our codes that an upstream's own code can stand for. */
export type UpstreamErrorCode =
  | 'record_not_found'
  | 'credentials_rejected'
  | 'upstream_forbidden'
  | 'upstream_rejected'
  | 'upstream_rate_limited'
  | 'upstream_unavailable'
  | 'invalid_cursor';

/**
 * How an upstream says no. HTTP statuses are the engine's business (401, 403, 404, 429, 5xx mean
 * the same everywhere); what is in a body is told here.
 */
export interface UpstreamErrors {
  /**
   * What a body says when the request succeeded, for upstreams whose HTTP status says success
   * either way. Any other value is a failure, and none at all breaks the contract.
   */
  readonly succeededWhen?: { readonly path: BodyPath; readonly equals: string | number | boolean };
  /** Where a failed body has the upstream's code; of several places, the first that has text. */
  readonly code: BodyPath | readonly BodyPath[];
  /** Where a failed body has a sentence for people, likewise; an array is joined. */
  readonly message?: BodyPath | readonly BodyPath[];
  /** What else of a failed body helps the caller, for example the missing scope. */
  readonly hints?: { readonly [name: string]: BodyPath };
  /** Our codes to the upstream's; any unlisted one is `upstream_rejected`. */
  readonly codes: { readonly [ours in UpstreamErrorCode]?: readonly string[] };
  /** Codes of two meanings: `invalid_cursor` where the call gave a cursor; else `upstream_rejected`, as any unlisted one. */
  readonly cursorCodes?: readonly string[];
  /** How codes begin that name what was asked for, and so are of any number; each is `upstream_rejected`. */
  readonly beginnings?: readonly string[];
  /**
   * Upstream codes after which a write may have taken effect although it failed; any other code
   * says that it surely did not.
   */
  readonly writeMayHaveHappened: readonly string[];
}
