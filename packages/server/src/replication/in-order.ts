interface OrderedWork<Result> {
  readonly names: readonly string[];
  /** What has to be done before; names that are not among `names` count as done. */
  readonly needs: (name: string) => readonly string[];
  /** How many names are worked on at once. */
  readonly concurrency: number;
  readonly work: (name: string) => Promise<Result>;
}

/**
 * Works on every name, each after all that it needs, a few at once. When one rejects, those that have
 * not begun do not begin, and the first reason is thrown once those under way have ended.
 */
export async function workInOrder<Result>(
  options: OrderedWork<Result>,
): Promise<ReadonlyMap<string, Result>> {
  const waiting = new Set(options.names);
  const underWay = new Map<string, Promise<void>>();
  const results = new Map<string, Result>();
  const failures: unknown[] = [];
  const isReady = (name: string) =>
    options.needs(name).every((needed) => !waiting.has(needed) && !underWay.has(needed));
  const begin = async (name: string): Promise<void> => {
    try {
      results.set(name, await options.work(name));
    } catch (error) {
      failures.push(error);
    } finally {
      underWay.delete(name);
    }
  };
  const beginReady = (): void => {
    for (const name of waiting) {
      if (underWay.size >= options.concurrency) return;
      if (!isReady(name)) continue;
      waiting.delete(name);
      underWay.set(name, begin(name));
    }
  };
  beginReady();
  while (underWay.size > 0) {
    await Promise.race(underWay.values());
    if (failures.length === 0) beginReady();
  }
  if (failures.length > 0) throw failures[0];
  if (waiting.size > 0) throw new Error(`${[...waiting].join(', ')} need each other`);
  return results;
}
