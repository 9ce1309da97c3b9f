import { nearestName } from '@patchbay/connectors/definitions';
import type { Comparison, Expression, Literal, TextOperator } from './expression.ts';
import { tokensOf, type Sign, type Token } from './tokens.ts';
import { WhereError } from './where-error.ts';

const COMPARISONS: Readonly<Partial<Record<Sign, Comparison>>> = {
  '=': 'eq',
  '!=': 'neq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};
const TEXT_OPERATORS: readonly TextOperator[] = ['like', 'keyword', 'fuzzy'];
const WORD_OPERATORS = [...TEXT_OPERATORS, 'contains', 'in', 'any', 'is'] as const;
const OPERATORS_TOLD = '=, !=, >, >=, <, <=, like, keyword, fuzzy, contains, in, any, is null';
/** Words that are fields or values only when they are quoted. */
const RESERVED = ['and', 'or', 'not'];
/** More than any filter may be nested; parentheses must not exhaust the stack. */
const MAX_DEPTH = 100;

/**
 * Parses an expression:
 *
 * ```
 * expression := conjunction { or conjunction }
 * conjunction := negation { and negation }
 * negation := not negation | "(" expression ")" | condition
 * condition := field ( = | != | > | >= | < | <= ) value
 *            | field [ not ] ( like | keyword | fuzzy | contains ) value
 *            | field [ not ] in "(" [ value { "," value } ] ")"
 *            | field [ not ] any "(" expression ")"
 *            | field is [ not ] null
 * field, value := word | "quoted" | 'quoted'
 * ```
 *
 * Words of the language are taken in any case. `and` binds tighter than `or`, `not` tighter than both.
 *
 * @throws WhereError at the first place that is wrong.
 */
export function parseExpression(text: string): Expression {
  return new Parser(text).parse();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  parse(): Expression {
    const expression = this.#disjunction(0);
    const token = this.#token();
    if (token.type === 'end') return expression;
    const hint =
      token.type === 'word' || token.type === 'quoted'
        ? '; quote texts that have spaces in them'
        : '';
    throw this.#wrong(`expected "and", "or" or the end, got ${shown(token)}${hint}`);
  }

  #disjunction(depth: number): Expression {
    const parts = [this.#conjunction(depth)];
    while (this.#takeWord('or')) parts.push(this.#conjunction(depth));
    return joined('or', parts);
  }

  #conjunction(depth: number): Expression {
    const parts = [this.#negation(depth)];
    while (this.#takeWord('and')) parts.push(this.#negation(depth));
    return joined('and', parts);
  }

  #negation(depth: number): Expression {
    if (depth > MAX_DEPTH) throw this.#wrong('this is nested too deep');
    if (this.#takeWord('not')) return { type: 'not', part: this.#negation(depth + 1) };
    if (this.#takeSign('(')) return this.#rest(depth);
    return this.#condition(depth);
  }

  /** Parses the expression after an opening parenthesis, and the closing one. */
  #rest(depth: number): Expression {
    const expression = this.#disjunction(depth + 1);
    if (this.#takeSign(')')) return expression;
    throw this.#wrong(`expected "and", "or" or ")", got ${shown(this.#token())}`);
  }

  #condition(depth: number): Expression {
    const field = this.#textOf('a field, "not" or "("').text;
    const isNegated = this.#takeWord('not');
    const token = this.#token();
    const comparison = token.type === 'sign' && !isNegated ? COMPARISONS[token.sign] : undefined;
    if (comparison !== undefined) {
      this.#index++;
      return { type: 'value', operator: comparison, field, value: this.#value() };
    }
    const operator = WORD_OPERATORS.find((each) => isWord(token, each));
    if (operator === undefined || (operator === 'is' && isNegated))
      throw this.#noOperator(token, field);
    this.#index++;
    const condition = this.#operation(operator, field, depth);
    return isNegated ? { type: 'not', part: condition } : condition;
  }

  #operation(operator: (typeof WORD_OPERATORS)[number], field: string, depth: number): Expression {
    switch (operator) {
      case 'is':
        return this.#nullTest(field);
      case 'in':
        return { type: 'in', field, values: this.#values() };
      case 'any':
        this.#requireSign('(', 'after "any": any (expression)');
        return { type: 'any', field, inner: this.#rest(depth + 1) };
      default:
        return { type: 'value', operator, field, value: this.#value() };
    }
  }

  #nullTest(field: string): Expression {
    const operator = this.#takeWord('not') ? 'neq' : 'eq';
    const { at } = this.#token();
    if (!this.#takeWord('null'))
      throw this.#wrong(`expected "null", got ${shown(this.#token())}; "is" is for null alone`);
    return { type: 'value', operator, field, value: { text: 'null', isQuoted: false, at } };
  }

  #values(): readonly Literal[] {
    this.#requireSign('(', 'after "in": in (a, b)');
    if (this.#takeSign(')')) return [];
    const values = [this.#value()];
    while (this.#takeSign(',')) values.push(this.#value());
    if (this.#takeSign(')')) return values;
    throw this.#wrong(`expected "," or ")", got ${shown(this.#token())}`);
  }

  #value(): Literal {
    return this.#textOf('a value');
  }

  #textOf(expected: string): Literal {
    const token = this.#token();
    const isText = token.type === 'quoted' || (token.type === 'word' && !isReserved(token.text));
    if (!isText) {
      const hint =
        token.type === 'word' ? `; as a name or value it is written "${token.text}"` : '';
      throw this.#wrong(`expected ${expected}, got ${shown(token)}${hint}`);
    }
    this.#index++;
    return { text: token.text, isQuoted: token.type === 'quoted', at: token.at };
  }

  #requireSign(sign: Sign, where: string): void {
    if (this.#takeSign(sign)) return;
    throw this.#wrong(`expected "${sign}" ${where}, got ${shown(this.#token())}`);
  }

  #takeSign(sign: Sign): boolean {
    const token = this.#token();
    const isTaken = token.type === 'sign' && token.sign === sign;
    if (isTaken) this.#index++;
    return isTaken;
  }

  #takeWord(word: string): boolean {
    const isTaken = isWord(this.#token(), word);
    if (isTaken) this.#index++;
    return isTaken;
  }

  #token(): Token {
    const token = this.#tokens[this.#index];
    if (token !== undefined) return token;
    // Nothing moves past the last token, the end, so there always is one.
    throw new Error('there is no token after the end');
  }

  #wrong(problem: string): WhereError {
    return new WhereError(this.#text, this.#token().at, problem);
  }

  #noOperator(token: Token, field: string): WhereError {
    const nearest = token.type === 'word' ? nearestName(token.text, WORD_OPERATORS) : undefined;
    const hint =
      nearest === undefined ? `; there are ${OPERATORS_TOLD}` : `; did you mean "${nearest}"?`;
    return this.#wrong(
      `expected an operator after ${JSON.stringify(field)}, got ${shown(token)}${hint}`,
    );
  }
}

function joined(type: 'and' | 'or', parts: readonly Expression[]): Expression {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : { type, parts };
}

function isWord(token: Token, word: string): boolean {
  return token.type === 'word' && token.text.toLowerCase() === word;
}

function isReserved(text: string): boolean {
  return RESERVED.includes(text.toLowerCase());
}

function shown(token: Token): string {
  switch (token.type) {
    case 'end':
      return 'nothing more';
    case 'sign':
      return `"${token.sign}"`;
    default:
      return JSON.stringify(token.text.length <= 40 ? token.text : `${token.text.slice(0, 39)}…`);
  }
}
