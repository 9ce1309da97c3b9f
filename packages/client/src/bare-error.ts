import { withoutSecrets } from './without-secrets.ts';

/** So deep causes are kept; those of `fetch` are two deep. */
const MOST_CAUSES = 8;

/** What is kept of an error beside its causes. */
type BareError = Error & { code?: string; syscall?: string };

/**
 * An error of `fetch` without what it carries besides: of an answer that is no HTTP, undici keeps the bytes, and a peer
 * that says back what it hears sends tokens in them. Left are name, message, code and system call, and those of its causes.
 *
 * @param secrets What messages must not contain: `fetch` quotes a header that it cannot send.
 * @returns `undefined` for what is no error.
 */
export function bareError(
  error: unknown,
  secrets: readonly string[] = [],
  depth = 0,
): Error | undefined {
  if (!isErrorLike(error) || depth === MOST_CAUSES) return undefined;
  const bareCause = (cause: unknown) => bareError(cause, secrets, depth + 1);
  const message = withoutSecrets(error.message, secrets);
  const cause = 'cause' in error ? bareCause(error.cause) : undefined;
  const options = cause === undefined ? {} : { cause };
  const bare: BareError =
    error instanceof AggregateError
      ? new AggregateError(error.errors.map(bareCause), message, options)
      : new Error(message, options);
  // Not to be listed beside its stack, as that of any other error.
  Object.defineProperty(bare, 'name', { value: error.name, configurable: true, writable: true });
  if ('code' in error && typeof error.code === 'string') bare.code = error.code;
  if ('syscall' in error && typeof error.syscall === 'string') bare.syscall = error.syscall;
  return bare;
}

/** Those of other realms, too. */
function isErrorLike(value: unknown): value is { readonly name: string; readonly message: string } {
  if (typeof value !== 'object' || value === null) return false;
  if (!('name' in value && 'message' in value)) return false;
  return typeof value.name === 'string' && typeof value.message === 'string';
}
