/** A value as it is written; what it stands for depends on the field. */
export interface Literal {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly at: number;
}

export type Comparison = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';
export type TextOperator = 'like' | 'keyword' | 'fuzzy';

/** A parsed expression. */
export type Expression =
  | { readonly type: 'and' | 'or'; readonly parts: readonly Expression[] }
  | { readonly type: 'not'; readonly part: Expression }
  | {
      readonly type: 'value';
      readonly operator: Comparison | TextOperator | 'contains';
      readonly field: string;
      readonly value: Literal;
    }
  | { readonly type: 'in'; readonly field: string; readonly values: readonly Literal[] }
  | { readonly type: 'any'; readonly field: string; readonly inner: Expression };
