import { parameterInvalid } from './intercom-error.ts';

/** Parameters of a call: the query, and over it the fields of a JSON body. */
export type Parameters = Readonly<Record<string, unknown>>;

const MAX_PER_PAGE = 150;

/** Promises a parameter as text; undefined when it is absent or null. */
export function textParameter(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw parameterInvalid(`${name} must be a string`);
}

/** Promises a yes or no, given as a word or as JSON. */
export function flagParameter(parameters: Parameters, name: string): boolean {
  return textParameter(parameters, name) === 'true';
}

/** Promises the page size: what was asked for, from 1 to 150, or what the vendor takes unasked. */
export function perPageParameter(parameters: Parameters, fallback: number): number {
  const asked = wholeNumber(parameters, 'per_page');
  if (asked === undefined) return fallback;
  if (asked > MAX_PER_PAGE) {
    throw parameterInvalid(`per_page must be a number from 1 to ${String(MAX_PER_PAGE)}`);
  }
  return asked;
}

/** Promises the number of the page asked for; 1 unless told. */
export function pageParameter(parameters: Parameters): number {
  return wholeNumber(parameters, 'page') ?? 1;
}

function wholeNumber(parameters: Parameters, name: string): number | undefined {
  const text = textParameter(parameters, name);
  if (text === undefined || text === '') return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw parameterInvalid(`${name} must be a number of 1 or more`);
  return value;
}
