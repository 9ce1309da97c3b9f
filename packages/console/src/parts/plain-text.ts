/** Control characters, and those that turn the direction of what is around them: as the service judges names. */
export const UNFIT = String.raw`\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069`;

const EACH_UNFIT = new RegExp(`[${UNFIT}]`, 'g');

/** A text that others choose, with what would act in it instead of being seen written out: `\u202e`. */
export function plainText(text: string): string {
  return text.replaceAll(
    EACH_UNFIT,
    (character) => String.raw`\u` + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}
