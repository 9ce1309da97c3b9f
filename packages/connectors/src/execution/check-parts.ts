import type { Fault } from '../errors.ts';
import { wrongOptions } from './check-options.ts';

type Members = Readonly<Record<string, unknown>>;

/** What a program gives a connector to work with, and what each of these must be. */
const PARTS: Readonly<
  Record<string, readonly [expects: string, isOne: (value: unknown) => boolean]>
> = {
  fileOrigins: ['an array of origins such as https://files.example.com', isOrigins],
  dispatcher: ['a dispatcher of undici', hasFunctions('dispatch')],
  clock: ['a Clock: now, monotonic and after', hasFunctions('now', 'monotonic', 'after')],
  random: ['a function', isFunction],
  onCredentialsChanged: ['a function', isFunction],
  onDrift: ['a function', isFunction],
};

/**
 * Checks what callers without types may get wrong before anything depends on it: a refresh token is used up by the time
 * that nobody can be told of the pair in its place, and an origin that no file ever has is found out by a download.
 *
 * @throws `invalid_config` with every fault.
 */
export function checkParts(options: object): void {
  const given = new Map<string, unknown>(Object.entries(options));
  const faults = Object.entries(PARTS)
    .filter(([name, [, isOne]]) => (given.get(name) ?? null) !== null && !isOne(given.get(name)))
    .map(([field, [expects]]): Fault => {
      // The value is not told: it may be of any size, and hold anything.
      return { field, errorCode: 'wrong_type', message: `must be ${expects}`, allowed: expects };
    });
  if (faults.length > 0) throw wrongOptions(faults);
}

/** As URLs have theirs, which they are compared to. */
function isOrigins(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof each === 'string' && URL.parse(each)?.origin === each)
  );
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function hasFunctions(...names: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    // What has members is looked into by name, whatever it is.
    typeof value === 'object' && names.every((name) => isFunction((value as Members)[name]));
}
