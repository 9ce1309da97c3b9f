import type { Member } from '@patchbay/connectors/definitions';
import { Type } from 'typebox';

/** An answer has this many bytes of JSON at most, unless the call says otherwise. */
const DEFAULT_MAX_BYTES = 49_152;
/**
 * A page that nobody asked for by a size or `max_bytes` has this many at most: 4,000 tokens, since the
 * densest records have 2.6 bytes a token (test/list-tokens.test.ts measures them).
 */
export const SHORT_PAGE_BYTES = 10_000;
/** Less would hold no notice besides a record. */
const MIN_BYTES = 4_096;
export const MAX_BYTES = 1_048_576;

/** The argument `max_bytes`, which every tool with long answers takes. */
export const MAX_BYTES_ARGUMENT: Member = {
  schema: Type.Integer({
    minimum: MIN_BYTES,
    maximum: MAX_BYTES,
    description: `Longest answer; ${DEFAULT_MAX_BYTES} unless given, ${SHORT_PAGE_BYTES} of a page without limit.`,
  }),
  isRequired: false,
  expects: `an integer from ${MIN_BYTES} to ${MAX_BYTES}`,
};

interface CheckedArguments {
  readonly max_bytes?: unknown;
}

/** The budget of a call whose arguments have been checked. */
export function maxBytesOf({ max_bytes: given }: CheckedArguments): number {
  return typeof given === 'number' ? given : DEFAULT_MAX_BYTES;
}

/** The same of a page of records: what nobody asked for must not fill the memory of a model. */
export function pageBytesOf({ max_bytes: given }: CheckedArguments, isSizeGiven: boolean): number {
  return maxBytesOf({ max_bytes: given ?? (isSizeGiven ? undefined : SHORT_PAGE_BYTES) });
}

/** Bytes of a value as JSON text in UTF-8, the form that models are given. */
export function bytesOf(value: unknown): number {
  return utf8.encode(JSON.stringify(value)).length;
}

const utf8 = new TextEncoder();
