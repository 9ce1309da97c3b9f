import { quote } from '../json-value.ts';
import { ConnectorError, faultsText, type Fault } from '../errors.ts';
import { unknownName } from '../unknown-name.ts';
import type { CallOptions } from '../vocabulary/index.ts';

/** The longest time a timer can be set to, about 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const NOT_HTTP_URL = 'must be an http or https URL without credentials, query and fragment';

/** Options of a connector that callers without types, or settings, may get wrong. */
interface CheckableOptions {
  readonly baseUrl?: string | undefined;
  readonly upstreamLimits?: unknown;
  readonly timeoutMs?: number | undefined;
}

/**
 * @param known The options that there are.
 * @throws `invalid_config` for any other, which would be ignored: a `baseURL`, and the call goes to the vendor.
 */
export function checkOptionNames(options: object, known: readonly string[]): void {
  const faults = Object.entries(options)
    .filter(([name, value]) => value !== undefined && !known.includes(name))
    .map(([name]) => unknownName(name, name, known));
  if (faults.length > 0) throw wrongOptions(faults);
}

/** @throws `invalid_config` with every fault. */
export function checkOptions({ baseUrl, upstreamLimits, timeoutMs }: CheckableOptions): void {
  const faults: Fault[] = [];
  const report = (field: string, expects: string, value: unknown) =>
    faults.push({
      field,
      errorCode: 'not_allowed',
      message: `must be ${expects}, got ${quote(value)}`,
      allowed: expects,
    });
  if (baseUrl !== undefined && !isHttpUrl(baseUrl))
    // The value is not told: it may hold credentials.
    faults.push({
      field: 'baseUrl',
      errorCode: 'not_allowed',
      message: NOT_HTTP_URL,
    });
  if (!isUpstreamLimits(upstreamLimits))
    report('upstreamLimits', 'vendor, reactive or a number above 0', upstreamLimits);
  if (timeoutMs !== undefined && !isTimeoutMs(timeoutMs))
    report('timeoutMs', `an integer from 1 to ${MAX_TIMEOUT_MS}`, timeoutMs);
  if (faults.length > 0) throw wrongOptions(faults);
}

const CALL_OPTIONS: Readonly<Record<keyof CallOptions, true>> = {
  signal: true,
  timeoutMs: true,
  priority: true,
  caller: true,
};

/**
 * Of a call by callers without types.
 *
 * @param known The options that there are.
 * @throws `invalid_config`, also for an option that there is not: it would be ignored.
 */
export function checkCallOptions(
  options: { readonly signal?: AbortSignal | undefined } = {},
  known: readonly string[] = Object.keys(CALL_OPTIONS),
): void {
  checkOptionNames(options, known);
  if (options.signal === undefined || isSignal(options.signal)) return;
  throw wrongOptions([
    { field: 'signal', errorCode: 'wrong_type', message: 'must be an AbortSignal' },
  ]);
}

/** Also one of another realm, or a library's own. */
function isSignal(given: unknown): boolean {
  return (
    typeof given === 'object' &&
    given !== null &&
    'aborted' in given &&
    'addEventListener' in given &&
    typeof given.addEventListener === 'function'
  );
}

/** @param faults What is wrong with the options that a program gives. */
export function wrongOptions(faults: readonly Fault[]): ConnectorError<'invalid_config'> {
  const message = `Wrong options: ${faultsText(faults)}`;
  return new ConnectorError('invalid_config', { faults }, { message });
}

/** Whether a timer can be set to it. */
function isTimeoutMs(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS;
}

function isUpstreamLimits(value: unknown): boolean {
  if (value === undefined || value === 'vendor' || value === 'reactive') return true;
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

/** `{name}` may stand for config variables in it. */
export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const url = URL.parse(value.replace(/\{[a-z0-9_]+\}/g, 'x'));
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
