import { parameterInvalid } from './intercom-error.ts';

/** Parameters of a call: the query's, overridden by the fields of a JSON body. */
export type Parameters = Readonly<Record<string, unknown>>;

const MAX_PER_PAGE = 150;

/** A parameter as text; undefined when it is absent or null. Lists and objects are refused. */
export function textParameter(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw parameterInvalid(`${name} must be a string`);
}

/** True for `true`, given as text or as JSON; false for anything else. */
export function flagParameter(parameters: Parameters, name: string): boolean {
  return textParameter(parameters, name) === 'true';
}

/** The page size asked for, from 1 to 150, or `fallback` when none was; others are refused. */
export function perPageParameter(parameters: Parameters, fallback: number): number {
  const asked = wholeNumber(parameters, 'per_page');
  if (asked === undefined) return fallback;
  if (asked > MAX_PER_PAGE) {
    throw parameterInvalid(`per_page must be a number from 1 to ${String(MAX_PER_PAGE)}`);
  }
  return asked;
}

/** The number of the page asked for; 1 by default. */
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
