import { get, type GetAction, type RequestLine } from './action.ts';
import type { BodyPath } from './body-path.ts';

/**
 * Where a fact about credentials is: a dotted path that begins with the name of a read and goes on in
 * its answer (`self.team_id`), or with `config` and the name of a variable, or `upstream.host`, the
 * host that requests go to.
 */
export type FactPath = BodyPath;

/** Facts about the account that credentials belong to. */
export interface AccountFacts {
  /** Only where this fact is true. */
  readonly when?: FactPath;
  readonly id: FactPath;
  /** What people call it. */
  readonly name?: FactPath;
}

/** Whose credentials are: the vendor's account, and in it the person or bot that they stand for. */
export interface Identity {
  /** Requests without params whose answers say so. */
  readonly reads: { readonly [name: string]: GetAction };
  /** The first one counts whose `when` holds and that has an id. */
  readonly accounts: readonly AccountFacts[];
  /** An id that stays when credentials are renewed or given anew. */
  readonly principal: FactPath;
}

/** Declares how a kind says whose credentials are; `reads` are the requests by the names that facts use. */
export function identity(definition: {
  readonly reference: string;
  readonly reads: { readonly [name: string]: RequestLine };
  readonly accounts: readonly AccountFacts[];
  readonly principal: FactPath;
}): Identity {
  const { reference, reads, accounts, principal } = definition;
  const doc = 'Says whose the credentials are.';
  const actions = Object.entries(reads).map(
    ([name, request]) => [name, get({ doc, reference, request, params: {}, record: '$' })] as const,
  );
  return { reads: Object.fromEntries(actions), accounts, principal };
}
