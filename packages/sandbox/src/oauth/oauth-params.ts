import { isJsonObject } from '../body-shaping.ts';
import type { IncomingRequest } from '../upstream.ts';

/** Parameters of an OAuth request, by name. */
export type OAuthParams = Readonly<Record<string, string>>;

/** The parameters of a query. */
export function queryParams(query: string): OAuthParams {
  return Object.fromEntries(new URLSearchParams(query));
}

/** The parameters of a body, a form or a JSON object; none for any other body. */
export function bodyParams({ body, contentType }: IncomingRequest): OAuthParams {
  const text = body.toString('utf8');
  if (contentType?.toLowerCase().startsWith('application/json') !== true) return queryParams(text);
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? textsOf(parsed) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The texts and numbers among values, as texts. */
export function textsOf(values: Readonly<Record<string, unknown>>): OAuthParams {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );
}
