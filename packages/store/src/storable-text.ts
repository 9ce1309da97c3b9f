import { StoreError } from './store-error.ts';

/**
 * Whether PostgreSQL can hold the text as it is. It cannot hold NUL, and half of a surrogate pair
 * has no UTF-8 form: the driver would send U+FFFD in its place, so that two different texts would
 * be taken for one. A lookup by such text finds nothing, since nothing like it was ever stored.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD for what cannot be stored: for what must be told in any case. */
export function storableForm(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/**
 * Refuses to write text that would not come back as it is.
 *
 * @param texts What is about to be written, by the name to call it in the message.
 * @throws `text_not_storable`, naming the first one that is not.
 */
export function checkStorable(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text === undefined || isStorable(text)) continue;
    throw new StoreError(
      'text_not_storable',
      `${name} holds a NUL character or half of a surrogate pair, which PostgreSQL cannot store; replace such characters by U+FFFD before.`,
    );
  }
}
