/** So deep causes are kept; those of `fetch` and undici are two deep. */
const MOST_CAUSES = 8;

/** What is kept of an error beside its causes. */
type BareError = Error & { code?: string; syscall?: string };

/**
 * An error of a connection without what it carries besides: of an answer that is no HTTP, undici keeps the bytes, and a peer
 * that says back what it hears sends credentials in them. Left are name, message, code, system call and stack, and those of
 * its causes.
 *
 * @param redact Takes out of messages what they must not contain: `fetch` quotes a header that it cannot send.
 * @returns `undefined` for what is no error.
 */
export function bareError(
  error: unknown,
  redact: (text: string) => string = (text) => text,
  depth = 0,
): Error | undefined {
  if (!isErrorLike(error) || depth === MOST_CAUSES) return undefined;
  const bareCause = (cause: unknown) => bareError(cause, redact, depth + 1);
  const cause = 'cause' in error ? bareCause(error.cause) : undefined;
  const message = redact(error.message);
  const options = cause === undefined ? {} : { cause };
  const bare: BareError =
    error instanceof AggregateError
      ? new AggregateError(error.errors.map(bareCause), message, options)
      : new Error(message, options);
  // Not to be listed beside its stack, as that of any other error.
  const own = { configurable: true, writable: true };
  Object.defineProperty(bare, 'name', { ...own, value: error.name });
  if ('stack' in error && typeof error.stack === 'string')
    Object.defineProperty(bare, 'stack', { ...own, value: redact(error.stack) });
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
