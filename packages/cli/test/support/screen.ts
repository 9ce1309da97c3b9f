/** What a person sees after a terminal has obeyed everything that a program wrote. */
export interface Screen {
  /** From the first line that was written on, without spaces at their ends. */
  readonly lines: readonly string[];
  readonly isCursorShown: boolean;
}

/** A control sequence: its parameters and its final letter. */
// oxlint-disable-next-line no-control-regex -- Control characters are what it is about.
const SEQUENCE = /^\u001b\[([?\d;]*)([A-Za-z])/;

/**
 * Obeys the few control sequences that line editors and progress bars use, on a screen that is high
 * and wide enough for everything.
 *
 * @throws Error for any other sequence: nobody knows what would be seen.
 */
export function screenOf(written: string): Screen {
  const rows: string[] = [''];
  let row = 0;
  let column = 0;
  let isCursorShown = true;
  const rowText = () => rows[row] ?? '';
  const obey = (parameters: string, letter: string): void => {
    const count = Number(parameters === '' ? 1 : parameters);
    switch (letter) {
      case 'A':
        row = Math.max(0, row - count);
        return;
      case 'B':
        row += count;
        return;
      case 'C':
        column += count;
        return;
      case 'D':
        column = Math.max(0, column - count);
        return;
      case 'G':
        column = count - 1;
        return;
      case 'J':
        rows.length = row + 1;
        rows[row] = rowText().slice(0, column);
        return;
      case 'K':
        rows[row] = parameters === '2' ? '' : rowText().slice(0, column);
        return;
      case 'm':
        return;
      case 'h':
      case 'l':
        if (parameters === '?25') isCursorShown = letter === 'h';
        return;
      default:
        throw new Error(`What does ESC [ ${parameters} ${letter} do?`);
    }
  };
  for (let at = 0; at < written.length;) {
    const [sequence = '', parameters = '', letter = ''] = SEQUENCE.exec(written.slice(at)) ?? [];
    const character = written.charAt(at);
    at += Math.max(1, sequence.length);
    if (sequence !== '') obey(parameters, letter);
    else if (character === '\r') column = 0;
    else if (character === '\n') row += 1;
    else {
      rows[row] =
        rowText().padEnd(column).slice(0, column) + character + rowText().slice(column + 1);
      column += 1;
    }
    while (rows.length <= row) rows.push('');
  }
  return { lines: rows.map((each) => each.trimEnd()), isCursorShown };
}
