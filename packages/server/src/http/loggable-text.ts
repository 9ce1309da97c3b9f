/** Control and format characters, line and paragraph separators, halves of surrogate pairs. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Enough to know who or what it is. */
const MOST_CHARACTERS = 256;

/** Text that a client or an operator chose: nothing of it does anything to the terminal of whoever reads the log. */
export function loggableText(text: string): string {
  const shown = text.replaceAll(CONTROLS, '\uFFFD');
  return shown.length <= MOST_CHARACTERS
    ? shown
    : `${shown.slice(0, MOST_CHARACTERS - 1).toWellFormed()}…`;
}
