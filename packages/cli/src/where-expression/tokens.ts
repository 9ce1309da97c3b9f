import { WhereError } from './where-error.ts';

/** The signs of the language; `==` is `=`, and `<>` is `!=`. */
export type Sign = '(' | ')' | ',' | '=' | '!=' | '>' | '>=' | '<' | '<=';

/** A piece of an expression, with the place where it begins. */
export type Token =
  | { readonly type: 'word' | 'quoted'; readonly text: string; readonly at: number }
  | { readonly type: 'sign'; readonly sign: Sign; readonly at: number }
  | { readonly type: 'end'; readonly at: number };

const SPACE = /\s*/y;
const SIGN = /[(),]|==?|!=|<>|[<>]=?/y;
/** A quote inside a word is part of it (`o'brien`); at its start, it begins a quoted text. */
const WORD = /(?:[^\s(),=<>!]|!(?!=))+/y;
const PUNCTUATION_OR_END = /(?=[\s(),=<>!]|$)/y;

/**
 * Cuts an expression into tokens, the last of which is its end.
 *
 * @throws WhereError for a quoted text that does not end, or has an escape that is none.
 */
export function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = skip(expression, 0); ;) {
    if (at === expression.length) return [...tokens, { type: 'end', at }];
    const { token, next } = tokenAt(expression, at);
    tokens.push(token);
    at = skip(expression, next);
  }
}

interface Scanned {
  readonly token: Token;
  readonly next: number;
}

function tokenAt(expression: string, at: number): Scanned {
  const first = expression.charAt(at);
  if (first === '"' || first === "'") return quotedAt(expression, at, first);
  const sign = matchAt(SIGN, expression, at);
  if (sign !== undefined)
    return { token: { type: 'sign', sign: signOf(sign), at }, next: at + sign.length };
  const text = matchAt(WORD, expression, at);
  // Only a lone "!" is neither: WORD takes those that are not followed by "=", SIGN the others.
  if (text === undefined) throw new WhereError(expression, at, 'this is no part of the language');
  return { token: { type: 'word', text, at }, next: at + text.length };
}

function signOf(text: string): Sign {
  if (text === '==') return '=';
  if (text === '<>') return '!=';
  // SIGN matches nothing else.
  return text as Sign;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const HEX = /[0-9a-fA-F]{4}/y;

function quotedAt(expression: string, start: number, quote: string): Scanned {
  let text = '';
  let at = start + 1;
  while (expression.charAt(at) !== quote) {
    if (at >= expression.length)
      throw new WhereError(expression, start, `this quoted text has no closing ${quote}`);
    if (expression.charAt(at) === '\\') {
      const escaped = escapeAt(expression, at);
      text += escaped.text;
      at = escaped.next;
    } else {
      text += expression.charAt(at);
      at++;
    }
  }
  at++;
  if (matchAt(PUNCTUATION_OR_END, expression, at) === undefined)
    throw new WhereError(
      expression,
      at,
      `a quoted text ends at its ${quote}; write \\${quote} for one inside it`,
    );
  return { token: { type: 'quoted', text, at: start }, next: at };
}

function escapeAt(
  expression: string,
  at: number,
): { readonly text: string; readonly next: number } {
  const letter = expression.charAt(at + 1);
  const hex = letter === 'u' ? matchAt(HEX, expression, at + 2) : undefined;
  if (hex !== undefined)
    return { text: String.fromCharCode(Number.parseInt(hex, 16)), next: at + 6 };
  const text = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (text === undefined)
    throw new WhereError(
      expression,
      at,
      `this is no escape; there are ${Object.keys(ESCAPES)
        .map((each) => `\\${each}`)
        .join(' ')} and \\u with four hex digits`,
    );
  return { text, next: at + 2 };
}

function skip(expression: string, at: number): number {
  return at + (matchAt(SPACE, expression, at)?.length ?? 0);
}

/** What a sticky pattern matches at a place. */
function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
