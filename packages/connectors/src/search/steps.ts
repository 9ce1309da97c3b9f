/** Work that can be left for a while: no step of it takes long, whatever the filter and the record. */
export type Steps<T> = Generator<void, T>;

/** Does the work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
