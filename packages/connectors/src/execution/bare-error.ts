/** So deep causes are kept; those of undici and Node.js are two deep. */
const MOST_CAUSES = 8;

/**
 * An error of a connection without what it carries besides: of an answer that is no HTTP, undici keeps the bytes, and a peer that
 * echoes sends the credentials back in them. What is left is its name, message, code and system call, its stack, and the
 * same of its causes.
 */
export function bareError(error: unknown, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === MOST_CAUSES) return undefined;
  const { name, message, stack } = error;
  const cause = bareError(causeOf(error), depth + 1);
  const bare: Error & { code?: string; syscall?: string } = new Error(message, { cause });
  Object.defineProperty(bare, 'name', { value: name, configurable: true });
  if (stack !== undefined) bare.stack = stack;
  if ('code' in error && typeof error.code === 'string') bare.code = error.code;
  if ('syscall' in error && typeof error.syscall === 'string') bare.syscall = error.syscall;
  return bare;
}

/** Of several tried addresses, what went wrong with the first. */
function causeOf(error: Error): unknown {
  if (error.cause !== undefined) return error.cause;
  return error instanceof AggregateError ? error.errors[0] : undefined;
}
