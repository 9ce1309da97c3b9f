import assert from 'node:assert/strict';

/** All that an iterable brings. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** How many items a walk brings whose signal aborts at the `nth`; it has to end with the reason. */
export async function countUntilAbort(
  walk: (signal: AbortSignal) => AsyncIterable<unknown>,
  nth: number,
): Promise<number> {
  const controller = new AbortController();
  const reason = new Error('enough');
  let count = 0;
  const walked = async () => {
    for await (const _ of walk(controller.signal)) if (++count === nth) controller.abort(reason);
  };
  await assert.rejects(walked(), (error) => error === reason);
  return count;
}
