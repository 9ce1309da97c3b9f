/** The value as a string: an integer as its digits. `undefined` where that would lose something. */
export function asString(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** The value as a safe integer: digits as the integer that they write. */
export function asInteger(value: unknown): number | undefined {
  const number = asNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A number, or the digits of an integer; anything else would lose something. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^(0|-?[1-9]\d{0,15})$/.test(value)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

/** The value as a boolean: some upstreams write 0 and 1. */
export function asBoolean(value: unknown): boolean | undefined {
  if (value === 0 || value === 1) return value === 1;
  return typeof value === 'boolean' ? value : undefined;
}
