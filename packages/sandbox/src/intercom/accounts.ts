import type { Person } from '../oauth/grant.ts';
import { adminName } from './seeded-directory.ts';
import { Workspace } from './workspace.ts';
import { World } from './world.ts';
import type { WorldOptions } from './world.ts';

/** The workspaces that the app can be installed in: each has data of its own. */
const NAMES = ['Sandbox workspace', 'Second sandbox workspace'] as const;
/** How many admins of each can consent: the first ones. */
const ADMINS_WHO_CONSENT = 3;

/** The simulated workspaces. Tokens that were made by hand are the first one's. */
export class IntercomAccounts {
  readonly #worlds: readonly World[];
  readonly #workspaces = new Map<World, Workspace>();
  readonly #clock: () => number;

  constructor(options: WorldOptions, clock: () => number) {
    this.#clock = clock;
    this.#worlds = NAMES.map(
      (name, nth) => new World({ ...options, seed: (options.seed + nth) >>> 0, name }),
    );
  }

  /** The workspace of an id; the first one without. */
  workspace(id?: string): Workspace {
    const world = this.#worlds.find(({ workspaceId }) => id === undefined || workspaceId === id);
    // Ids of workspaces come from consents, whose people are of these worlds.
    if (world === undefined) throw new Error(`no workspace ${String(id)}`);
    const known = this.#workspaces.get(world);
    if (known !== undefined) return known;
    const workspace = new Workspace(world, this.#clock);
    this.#workspaces.set(world, workspace);
    return workspace;
  }

  people(): readonly Person[] {
    return this.#worlds.flatMap((world) =>
      Array.from({ length: ADMINS_WHO_CONSENT }, (_, position) => ({
        id: String(world.adminNumber(position)),
        name: adminName(world, position),
        account: { id: world.workspaceId, name: world.name },
      })),
    );
  }
}
