import type { DatabaseName } from './world/world-database.ts';
import type { Load } from './load/load.ts';
import type { World, WorldOptions } from './world/world.ts';

/** What a fault has to work with. */
export interface Scene {
  readonly world: World;
  readonly load: Load;
}

/** What a fault did, and how to end it. */
export interface Injection {
  /** Ends the fault; resolves with how often it struck. Called once. */
  heal(): Promise<number>;
}

/** One way in which what the service stands on, or the service itself, goes wrong. */
export interface Fault {
  /** In kebab-case; what `npm run test:faults -- <name>` runs. */
  readonly name: string;
  /** What happens, in a few words. */
  readonly doc: string;
  readonly databases: readonly DatabaseName[];
  /** How the service, the sandbox and the database under it are to be. */
  readonly world?: WorldOptions;
  /** What else than usual is right meanwhile. */
  readonly allows?: {
    /** The process may end by itself: it says why, and is started anew. */
    readonly exits?: true;
    /** Tokens may expire before their time, and instants be off: the clock was set. */
    readonly clock?: true;
  };
  /** Why it cannot be injected here, or `undefined`. */
  skip?(): Promise<string | undefined>;
  /** Begins the fault. It is called a second time for the shutdown in that state. */
  inject(scene: Scene): Promise<Injection>;
}

/** For faults that are over as soon as they have struck. */
export const OVER: Injection = { heal: () => Promise.resolve(1) };
