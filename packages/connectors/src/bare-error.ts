import { isJsonObject } from './json-value.ts';

/** What is kept of an error beside its message and causes, and whether it is listed among its members. */
const KEPT = { name: false, stack: false, code: true, syscall: true };

/**
 * An error of a connection without what it carries besides: of an answer that is no HTTP, undici keeps the bytes, and a peer
 * that says back what it hears sends credentials in them. Left are name, message, code, system call and stack, and those of
 * its causes.
 *
 * @param redact Takes out of texts what they must not contain: `fetch` quotes a header that it cannot send.
 * @param causes So deep they are kept; those of `fetch` and undici are two deep.
 * @returns `undefined` for what is no error.
 */
export function bareError(
  error: unknown,
  redact: (text: string) => string = (text) => text,
  causes = 8,
): Error | undefined {
  // Those of other realms are none of this one's class.
  if (!isJsonObject(error) || typeof error['message'] !== 'string') return undefined;
  const options =
    causes > 0 && 'cause' in error
      ? { cause: bareError(error['cause'], redact, causes - 1) }
      : undefined;
  const bare = new Error(redact(error['message']), options);
  for (const [name, enumerable] of Object.entries(KEPT)) {
    const text = error[name];
    if (typeof text === 'string')
      Object.defineProperty(bare, name, { value: redact(text), enumerable });
  }
  return bare;
}
