/** Control characters, and those that turn the direction of what is around them. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
const EACH_UNFIT = new RegExp(UNFIT, 'g');

/** Whether a text is one line in which nothing pretends to be something else. */
export function isVisible(text: string): boolean {
  return !UNFIT.test(text);
}

/** A text that somebody chose, as people may read it: what would change how it looks stands there by its number. */
export function visibleText(text: string): string {
  return text.replaceAll(
    EACH_UNFIT,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
