/** Compares two texts by code point, as a database with the "C" collation does. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const ofA = a.charCodeAt(index);
    const ofB = b.charCodeAt(index);
    if (ofA !== ofB) return rankOf(ofA) - rankOf(ofB);
  }
  return a.length - b.length;
}

/** Surrogates make up the greatest code points, although units from U+E000 on are greater. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
