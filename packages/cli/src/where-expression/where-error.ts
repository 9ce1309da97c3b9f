import { printable } from '../output/printable.ts';
import { textWidth } from '../output/text-width.ts';

/** Text before and after the place of a fault that is shown with it. */
const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 30;

/** What is wrong with an expression, and where. */
export class WhereError extends Error {
  override readonly name = 'WhereError';
  readonly expression: string;
  /** Index of the first character that is wrong; the length where something is missing. */
  readonly at: number;
  /** What is wrong, as it completes "at character 5: …". */
  readonly problem: string;

  constructor(expression: string, at: number, problem: string) {
    // People count characters, not units of UTF-16, and from 1.
    const position = Array.from(expression.slice(0, at)).length + 1;
    super(`The expression is wrong at character ${position}: ${problem}`);
    this.expression = expression;
    this.at = at;
    this.problem = problem;
  }

  /** Two lines: the expression, and a caret below the place. */
  pointed(): string {
    const start = Math.max(0, this.at - SHOWN_BEFORE);
    const before = (start > 0 ? '…' : '') + printable(this.expression.slice(start, this.at));
    const rest = this.expression.slice(this.at, this.at + SHOWN_AFTER);
    const more = this.at + SHOWN_AFTER < this.expression.length ? '…' : '';
    return `  ${before}${printable(rest)}${more}\n  ${' '.repeat(textWidth(before))}^`;
  }
}
