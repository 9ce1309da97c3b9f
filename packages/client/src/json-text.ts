import { invalidInput } from './service-errors.ts';

/** JSON has words for what is in them, and for them where there is nothing. */
const WORDED: ReadonlySet<string> = new Set([
  '[object Object]',
  '[object Array]',
  '[object String]',
  '[object Number]',
  '[object Boolean]',
]);

/**
 * A request body. What JSON has no words for goes out as text, so that the service says what is
 * wrong with it: left to itself, JSON would turn `NaN` and a date that is none into null, which means
 * absent, and a `Map` into `{}`.
 *
 * @throws `invalid_request` for a value that contains itself.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, function (this: Record<string, unknown>, name, each: unknown) {
      // A date that is none turns itself into null; that it is a date is told instead.
      if (each === null) return this[name] && tagOf(this[name]);
      if (typeof each === 'number' && !Number.isFinite(each)) return String(each);
      if (typeof each === 'object') return isWithoutMembers(each) ? tagOf(each) : each;
      return typeof each === 'bigint' || typeof each === 'symbol' || typeof each === 'function'
        ? String(each)
        : each;
    });
  } catch {
    throw invalidInput('body', 'cannot be written as JSON: does it contain itself?');
  }
}

/** Collections, promises and the like, of which JSON would write nothing. */
function isWithoutMembers(value: object): boolean {
  return Object.keys(value).length === 0 && !WORDED.has(tagOf(value));
}

function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}
