import { ConsentStop } from './consent-stop.ts';
import { isSecret } from '../random-secret.ts';

/** What a vendor sends a person back with: a code, or why there is none. */
export type Callback = { readonly state: string } & (
  { readonly code: string; readonly error?: undefined } | { readonly error: string }
);

/** Longest code of a vendor, in characters. */
export const MAX_CODE = 2_048;
const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Reads the query of a callback; what it has besides is the vendor's to add.
 *
 * @throws ConsentStop `malformed` where something is missing, there twice, or nothing that we or a vendor
 * would send.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2
 */
export function callbackOf(query: Readonly<Record<string, unknown>>): Callback {
  const { state, code, error } = query;
  if (typeof state !== 'string' || !isSecret(state)) throw new ConsentStop('malformed');
  if (typeof error === 'string' && error !== '' && code === undefined) return { state, error };
  if (typeof code !== 'string' || error !== undefined) throw new ConsentStop('malformed');
  if (code.length > MAX_CODE || !VISIBLE.test(code)) throw new ConsentStop('malformed');
  return { state, code };
}
