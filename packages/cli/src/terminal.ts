import { styleText } from 'node:util';

/** Where a command writes: results on `out`, everything else on `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether a person reads `out`, as opposed to a file or another program. */
  readonly isInteractive: boolean;
  /** Whether there is a person who can be asked. */
  readonly canAsk: boolean;
  /** Whether lines on `out` can be drawn anew. */
  readonly canRedraw: boolean;
  /** The same of `err`, on which progress is shown. */
  readonly canRedrawErr: boolean;
  /** Columns of `out` now; `Infinity` where no person reads it. */
  readonly width: () => number;
  /** Columns of `err` now; `Infinity` where no person reads it. */
  readonly errWidth: () => number;
  readonly height: () => number;
  /** Bold where that is shown and wanted. */
  readonly bold: (text: string) => string;
}

const USUAL_WIDTH = 80;
const USUAL_HEIGHT = 24;

/** The terminal, or the files and pipes, that this process was given. */
export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isInteractive: process.stdout.isTTY,
  canAsk: process.stdin.isTTY && process.stderr.isTTY,
  canRedraw: process.stdout.isTTY && process.env['TERM'] !== 'dumb',
  canRedrawErr: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
  errWidth: () => (process.stderr.isTTY ? process.stderr.columns || USUAL_WIDTH : Infinity),
  // A terminal that does not know its size says 0.
  width: () => (process.stdout.isTTY ? process.stdout.columns || USUAL_WIDTH : Infinity),
  height: () => (process.stdout.isTTY ? process.stdout.rows || USUAL_HEIGHT : Infinity),
  // `styleText` respects NO_COLOR and what the terminal can do.
  bold: (text) => styleText('bold', text, { stream: process.stdout }),
};

/** A failure that is the user's to mend: one sentence, no stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
