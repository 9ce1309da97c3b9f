import { createHash } from 'node:crypto';

/** Clients may keep it, and ask each time whether it is still so. */
export const ASK_AGAIN = 'no-cache';

/** The entity tag of a text: weak, since it is that of every encoding. */
export function entityTag(text: string | Uint8Array): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether a client has what has that tag.
 *
 * @param asked The header `If-None-Match`.
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match
 */
export function isHad(tag: string, asked: string | undefined): boolean {
  if (asked === undefined) return false;
  const names = asked.split(',').map((each) => each.trim());
  return names.some((each) => each === '*' || each.replace(/^W\//, '') === tag.slice(2));
}
