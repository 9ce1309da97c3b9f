import type { BodyPath } from './body-path.ts';

/**
 * What a body says of whether more follows, besides where that is: `is` is what `at` has where it does. A
 * page that says so and leads nowhere is no end, but a list that was broken off.
 */
export interface SaysMore {
  readonly at: BodyPath;
  readonly is: boolean;
}

/**
 * How a list goes on after a page. A strategy names params and Meta fields of its own action; how
 * each one walks is in the engine, which knows no kind.
 */
export type Paging =
  /** The list is one page. */
  | { readonly strategy: 'single' }
  /**
   * A Meta field holds the cursor of the next page; null ends the list. Where the upstream pages by
   * cursor only when asked to, a walk begins by giving `start` for the param, unless the caller has
   * chosen another way by giving one of the params `unless`. Pages of that other way have no cursor;
   * where the Meta field `orLink` then holds the URL of the next page, the walk goes on by its query.
   */
  | {
      readonly strategy: 'cursor';
      readonly param: string;
      readonly next: string;
      readonly walk?: { readonly start: string; readonly unless: readonly string[] };
      readonly orLink?: string;
      readonly more?: SaysMore | undefined;
    }
  /**
   * The next page starts at the key of the last record plus a step; a page that is shorter than its
   * size ends the list.
   */
  | {
      readonly strategy: 'after_last_key';
      readonly param: string;
      /** 1 where the upstream includes the record with the given key. */
      readonly step: 0 | 1;
    }
  /**
   * A Meta field holds the URL of the next page, whose query gives the params; null ends the list,
   * and where the upstream's link is never null, a page that is shorter than its size does. Params of
   * `place` say only together where a page begins.
   */
  | {
      readonly strategy: 'link';
      readonly next: string;
      readonly place?: readonly string[] | undefined;
      readonly endsShort?: true;
      readonly more?: SaysMore | undefined;
    }
  /**
   * Like a cursor, of a walk that the upstream keeps and moves on with every call, also one whose answer
   * is lost. So no page can be asked for twice, and what is interrupted begins anew. Only an empty page
   * ends it. While another walk is open, the upstream refuses a new one with the code `taken`.
   */
  | {
      readonly strategy: 'scroll';
      readonly param: string;
      readonly next: string;
      readonly taken: string;
    };

/** The paging strategies of the vocabulary. */
export const paging = {
  single: (): Paging => ({ strategy: 'single' }),
  cursor: (names: {
    readonly param: string;
    readonly next: string;
    readonly walk?: { readonly start: string; readonly unless: readonly string[] };
    readonly orLink?: string;
    readonly more?: SaysMore | undefined;
  }): Paging => ({ strategy: 'cursor', ...names }),
  afterLastKey: (names: { readonly param: string; readonly step: 0 | 1 }): Paging => ({
    strategy: 'after_last_key',
    ...names,
  }),
  link: (names: {
    readonly next: string;
    readonly place?: readonly string[] | undefined;
    readonly endsShort?: true;
    readonly more?: SaysMore | undefined;
  }): Paging => ({ strategy: 'link', ...names }),
  scroll: (names: {
    readonly param: string;
    readonly next: string;
    readonly taken: string;
  }): Paging => ({ strategy: 'scroll', ...names }),
} as const;
