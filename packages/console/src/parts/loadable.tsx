import { lazy, useState, type ComponentType } from 'react';

/** A component that is not loaded with the console. */
export interface Loadable<P extends object> {
  /** Loads it before it is shown: React shows what it has to wait for a third of a second later at least. */
  readonly loadAhead: () => void;
  /** Itself, once it has been loaded; where it has not been, it loads when it is shown. */
  readonly Component: ComponentType<P>;
}

export function loadable<P extends object>(load: () => Promise<ComponentType<P>>): Loadable<P> {
  let loaded: ComponentType<P> | undefined;
  const loadOnce = async () => (loaded ??= await load());
  const Awaited = lazy(async () => ({ default: await loadOnce() }));
  return {
    loadAhead: () => {
      // What keeps it from loading is told where it is shown.
      loadOnce().catch(() => undefined);
    },
    Component: function Loaded(props: P) {
      // It stays the same for as long as it is shown, with what it holds.
      const [Shown] = useState<ComponentType<P>>(() => loaded ?? Awaited);
      return <Shown {...props} />;
    },
  };
}
