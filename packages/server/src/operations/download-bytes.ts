/** The bytes of a file; `onEnd` is called once, however the reading ends. */
export async function* withEnd(
  bytes: AsyncIterable<Uint8Array>,
  { onEnd, translate }: { readonly onEnd: () => void; readonly translate: (e: unknown) => unknown },
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* bytes;
  } catch (error) {
    throw translate(error);
  } finally {
    onEnd();
  }
}
