import { nearestName } from '@patchbay/connectors/definitions';

/** Params whose value may be brought within its bounds: what is asked for stays the same. */
const SIZES: ReadonlySet<string> = new Set(['limit', 'per_page', 'max_bytes', 'timeout_ms']);

/** Longer text is no list, number or word that stands for another value. */
const MAX_TEXT = 100_000;

/**
 * What may have been meant by a value of a wrong type or out of its bounds, the likeliest first.
 * Whether one of them will do is for the check to say.
 *
 * @param name The name of the param or field.
 * @param allowed What would be right, in words.
 */
export function guessesAt(value: unknown, name: string, allowed: string): readonly unknown[] {
  if (typeof value === 'string') return guessesAtText(value, allowed);
  if (typeof value === 'number')
    return [...withinBounds(value, name, allowed), `${value}`, [value]];
  if (typeof value === 'boolean') return [`${value}`];
  if (Array.isArray(value)) return value.length === 1 ? [value[0]] : [];
  return [];
}

/** The JSON that a text writes, if it is an object or an array. */
export function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string' || text.length > MAX_TEXT || !/^\s*[[{]/.test(text))
    return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // It is no JSON, so nothing is meant by it but text.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function guessesAtText(text: string, allowed: string): readonly unknown[] {
  if (text.length > MAX_TEXT) return [];
  const trimmed = text.trim();
  const json = parsedJson(text);
  const number = Number(trimmed);
  const word = nearestName(trimmed, namesIn(allowed));
  return [
    ...(json === undefined ? [] : [json]),
    // Digits that no number holds are left alone.
    ...(trimmed !== '' && String(number) === trimmed && Number.isFinite(number) ? [number] : []),
    ...(/^true$/i.test(trimmed) ? [true] : /^false$/i.test(trimmed) ? [false] : []),
    ...(word === undefined ? [] : [word]),
    ...(json === undefined ? [trimmed.split(',').map((each) => each.trim())] : []),
  ];
}

/** The names of a list of them, such as `one of public, private`; the words of a sentence are none. */
function namesIn(allowed: string): readonly string[] {
  const names = allowed.replace(/^one of /, '').split(', ');
  return names.every((name) => /^[\w.-]+$/.test(name)) ? names : [];
}

function withinBounds(value: number, name: string, allowed: string): readonly number[] {
  const [, least, most] = /from ([\d,]+) to ([\d,]+)/.exec(allowed) ?? [];
  if (!SIZES.has(name) || least === undefined || most === undefined) return [];
  const [smallest, largest] = [least, most].map((each) => Number(each.replaceAll(',', '')));
  if (smallest === undefined || largest === undefined) return [];
  return [Math.min(largest, Math.max(smallest, Math.trunc(value)))];
}
