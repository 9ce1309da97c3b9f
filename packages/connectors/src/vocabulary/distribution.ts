import type { RateRule } from './policies.ts';

/** What differs from the definition for a list. */
export interface ListTerms {
  readonly rate: RateRule;
  /** The largest page that the upstream gives. */
  readonly largestPage: number;
}

/** What an upstream grants the apps that reach its accounts in one of the ways there are. */
export interface Distribution {
  readonly doc: string;
  /** By entity. */
  readonly lists?: { readonly [entity: string]: ListTerms };
  /** Entities that are read from the upstream alone: no copy is kept of them. */
  readonly notCopied?: readonly string[];
}

/** The ways in which apps reach accounts, where an upstream's terms depend on them. */
export interface Distributions<D extends string = string> {
  readonly doc: string;
  readonly reference: string;
  /** The one that this definition is of. */
  readonly applies: NoInfer<D>;
  readonly each: { readonly [name in D]: Distribution };
}
