import { createHash, timingSafeEqual } from 'node:crypto';
import { parseOperatorKey, OPERATOR_KEY_EXPECTS } from '../access/operator-key.ts';
import { ServiceError } from '../service-error.ts';
import { readSecretFile } from '../vault/secret-file.ts';

/** Where the token that opens `/metrics` comes from. */
export type MetricsTokenSource =
  | { readonly from: 'environment'; readonly token: string }
  | { readonly from: 'file'; readonly path: string };

/** What the token may look like, as it completes the sentence "must be …". */
export const METRICS_TOKEN_EXPECTS = OPERATOR_KEY_EXPECTS;

/** The token that a text gives, without white space around it; `undefined` where it gives none. */
export const parseMetricsToken = parseOperatorKey;

/**
 * The token that the configuration names.
 *
 * @param warn Told of a file that others may read.
 * @throws ServiceError `metrics_token_unusable`.
 */
export async function loadMetricsToken(
  source: MetricsTokenSource,
  warn: (problem: string) => void = () => undefined,
): Promise<string> {
  if (source.from === 'environment') return source.token;
  const { path } = source;
  const text = await readSecretFile({
    path,
    noun: 'metrics token',
    code: 'metrics_token_unusable',
    variable: 'PATCHBAY_METRICS_TOKEN',
    missing: 'is missing',
    onReadable: warn,
  });
  const token = parseMetricsToken(text);
  if (token !== undefined) return token;
  throw new ServiceError(
    'metrics_token_unusable',
    `The file ${path} holds no metrics token: it must be ${METRICS_TOKEN_EXPECTS}.`,
  );
}

/** Whether an `Authorization` header brings the token; takes the same time wherever it differs. */
export function bringsToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
