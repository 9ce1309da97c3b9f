const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Whether a JSON text has more values than that, members and elements at every depth: made into objects, they would take many
 * times its bytes, and seconds. What stands within strings is none.
 */
export function hasMoreValues(bytes: Buffer, most: number): boolean {
  // Each takes a byte at least.
  if (bytes.length <= most) return false;
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    // An opening bracket begins a first one, and a comma another.
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
  }
  return count > most;
}

/** Where a string ends that begins there; one without an end, with the text. To search is faster than to look at each byte. */
function endOfString(bytes: Buffer, start: number): number {
  let end = start;
  do end = bytes.indexOf(QUOTE, end + 1);
  while (end !== -1 && isEscaped(bytes, end));
  return end === -1 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
