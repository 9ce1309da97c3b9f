import { invalidInput } from './service-errors.ts';

/**
 * A request body. What JSON has no words for goes out as text, so that the service says what is
 * wrong with it: left to itself, JSON would turn `NaN` into null, which means absent.
 *
 * @throws `invalid_request` for a value that contains itself.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, (_name, each: unknown) => {
      if (typeof each === 'number' && !Number.isFinite(each)) return String(each);
      return typeof each === 'bigint' || typeof each === 'symbol' ? String(each) : each;
    });
  } catch {
    throw invalidInput('body', 'cannot be written as JSON: does it contain itself?');
  }
}
