import type { Secret } from './secret.ts';
import type { UpstreamResponse } from './transport.ts';

/** Characters: longer answers say what is wrong in no way that a person could read. */
const MOST_QUOTED = 262_144;

/** An answer as errors may quote it: an upstream may say the credentials back, and what is long is none of its words. */
export function quotableAnswer(response: UpstreamResponse, secret: Secret): UpstreamResponse {
  if (response.body.length > MOST_QUOTED) return { ...response, body: '' };
  const redacted = (_: string, value: unknown) =>
    typeof value === 'string' ? secret.redact(value) : value;
  try {
    return { ...response, body: JSON.stringify(JSON.parse(response.body, redacted)) };
  } catch (error) {
    // Of what is no JSON nothing is quoted.
    if (error instanceof SyntaxError) return response;
    // Nested too deeply to be looked through.
    if (error instanceof RangeError) return { ...response, body: '' };
    throw error;
  }
}
