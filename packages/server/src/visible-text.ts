/** Control characters, and those that turn the direction of what is around them; the console shows names alike. */
const UNFIT = String.raw`[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]`;
const ANY_UNFIT = new RegExp(UNFIT);
const EACH_UNFIT = new RegExp(UNFIT, 'g');

/** Whether a text is one line in which nothing pretends to be something else. */
export function isVisible(text: string): boolean {
  return !ANY_UNFIT.test(text);
}

/** A text that somebody chose, as people may read it: what would change how it looks stands there by its number. */
export function visibleText(text: string): string {
  return text.replaceAll(
    EACH_UNFIT,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
