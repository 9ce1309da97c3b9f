/**
 * What a terminal might obey instead of showing: control characters (C0, DEL, C1), line and
 * paragraph separators, and the characters that turn the direction of text around.
 */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text from elsewhere as it may be shown on one line of a terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT[character] ?? escaped(character));
}

/** The same, with its line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON text whose strings hold nothing that a terminal might obey; it means the same. */
export function printableJson(json: string): string {
  // JSON has escaped the others already, and its own line breaks stand outside of strings.
  return json.replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
