import type { ToolHost } from '@patchbay/tools';

/** A host that never answers, and tells when it is asked for its connectors. */
export function makeSilentHost(): {
  readonly host: ToolHost;
  readonly called: Promise<AbortSignal>;
} {
  const { promise, resolve } = Promise.withResolvers<AbortSignal>();
  const never = new Promise<never>(() => undefined);
  const host: ToolHost = {
    mode: 'hosted',
    connectors: ({ signal } = {}) => {
      if (signal !== undefined) resolve(signal);
      return never;
    },
    describe: () => never,
    describeEntity: () => never,
    execute: () => never,
    search: () => never,
    syncStatus: () => never,
  };
  return { host, called: promise };
}
