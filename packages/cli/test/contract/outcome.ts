import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { isConnectorError, type Download, type Fault, type Retry } from '@patchbay/connectors';
import type { Json } from './call.ts';

/** One thing that is wrong with an input, as the wire contract spells it. */
export interface WireFault {
  readonly field: string;
  readonly message: string;
  readonly error_code?: string;
  readonly allowed?: string;
  readonly did_you_mean?: string;
}

export interface Failure {
  readonly ok: false;
  readonly code: string;
  readonly retry: Retry;
  readonly message: string;
  readonly faults: readonly WireFault[];
  /** With wire names, but for the request id. */
  readonly details: Json;
}

/**
 * What became of a call, in one form for all surfaces: a list is `{ data, meta, next_params, warnings }`, a search
 * `{ hits, next_cursor, sync }`, a file what `fileValue` makes of it, anything else the record.
 */
export type Outcome = { readonly ok: true; readonly value: unknown } | Failure;

/** What of an error of the library is the same in the client, and in what the CLI prints. */
export interface ErrorParts {
  readonly code: string;
  readonly retry: Retry;
  readonly message: string;
  readonly details: Json;
}

/** What becomes of a call that throws the library's errors. */
export async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    if (!isConnectorError(error)) throw error;
    const { code, retry, message, details } = error;
    // Details are plain JSON.
    return failureOf({ code, retry, message, details: details as Json });
  }
}

/** An error in the library's form. */
export function failureOf({ code, retry, message, details }: ErrorParts): Failure {
  const { faults = [], requestId: _, ...rest } = details;
  return {
    ok: false,
    code,
    retry,
    message,
    // The member `faults` of details is of this type wherever there is one.
    faults: (faults as readonly Fault[]).map(wireFault),
    details: Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [snakeCase(name), value]),
    ),
  };
}

/** A page of hits; what is another at each call is checked here, and left out. */
export function hitsValue(page: unknown): Json {
  // A search gives a page of hits, or the comparison will tell.
  const { hits, next_cursor, took_ms, sync } = page as Json;
  const { lag_seconds, ...freshness } = sync as Json;
  assert.ok(Number.isInteger(took_ms), `took_ms is ${String(took_ms)}`);
  assert.ok(Number.isInteger(lag_seconds), `lag_seconds is ${String(lag_seconds)}`);
  return { hits, next_cursor, sync: freshness };
}

/** A page of a list as code has it. */
export function pageValue(page: unknown): Json {
  const { data, meta, nextParams: next_params, ...rest } = page as Json;
  return { data, meta, next_params, ...rest };
}

/** A file, read to its end. */
export async function fileValue({
  contentType,
  sizeBytes,
  contentRange,
  bytes,
}: Pick<Download, 'contentType' | 'sizeBytes' | 'contentRange' | 'bytes'>): Promise<Json> {
  const content = await buffer(bytes);
  return {
    content_type: contentType,
    size: sizeBytes,
    content_range: contentRange,
    content_base64: content.toString('base64'),
  };
}

function wireFault({ field, message, errorCode, allowed, didYouMean }: Fault): WireFault {
  return {
    field,
    message,
    error_code: errorCode,
    ...(allowed === undefined ? {} : { allowed }),
    ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
