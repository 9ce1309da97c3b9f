import type { ErrorCode, ErrorDetails } from '../errors.ts';
import type { PROBLEM_DETAILS } from './problem.ts';
import type { Wire } from './shape.ts';

type SnakeCase<N> = N extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** What the details of an error are called when they go out; faults go out as `errors`. */
type OnWire<D> = {
  [N in keyof D as N extends 'faults' | 'requestId' ? never : SnakeCase<N>]: D[N];
};

type Shown<C extends ErrorCode> = Wire<(typeof PROBLEM_DETAILS)[C]>;

/** The codes of which schema and type of the details do not say the same. */
type Different = {
  [C in ErrorCode]: OnWire<ErrorDetails<C>> extends infer D
    ? [D, keyof D, keyof Shown<C>] extends [Shown<C>, keyof Shown<C>, keyof D]
      ? never
      : C
    : never;
}[ErrorCode];

/** The schema of the details of every code names the members that their type has, and no others. */
export function none(code: Different): never {
  return code;
}
