import { checkCallOptions } from '@patchbay/connectors/definitions';

/** Options of one call to the service. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest time for the call in all, waits and repetitions included. */
  readonly timeoutMs?: number | undefined;
}

const OF_EVERY_CALL: Readonly<Record<keyof RequestOptions, true>> = {
  signal: true,
  timeoutMs: true,
};

/**
 * Of a call by callers without types. An option that nobody knows would be ignored: of an `idempotencykey`,
 * the write would be done twice.
 *
 * @param others The options that there are of the call, besides those that there are of every one.
 * @throws `invalid_config`.
 */
export function checkOptionsOfCall<O extends RequestOptions>(
  options: O | undefined,
  others: Readonly<Record<Exclude<keyof O, keyof RequestOptions>, true>>,
): void {
  checkCallOptions(options, Object.keys({ ...OF_EVERY_CALL, ...others }));
}
