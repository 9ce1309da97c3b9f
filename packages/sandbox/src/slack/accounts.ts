import type { Account, Person } from '../oauth/grant.ts';
import { seededUser } from './seeded-users.ts';
import { Workspace } from './workspace.ts';
import { FIRST_MEMBER_POSITION, OWNER_POSITION, World } from './world.ts';
import type { WorldOptions } from './world.ts';

/** The workspaces that the app can be installed in: each has data of its own. */
const TEAMS = [
  { name: 'Sandbox Workspace', domain: 'sandbox' },
  { name: 'Second Sandbox Workspace', domain: 'second-sandbox' },
] as const;
/** Those who can consent: the owner, and two ordinary members. */
const PEOPLE = [OWNER_POSITION, FIRST_MEMBER_POSITION, FIRST_MEMBER_POSITION + 1] as const;
/** A member of the first workspace, who consents for the organization that it belongs to. */
const ORGANIZATION_ADMIN = FIRST_MEMBER_POSITION + 2;

/** The simulated workspaces. Tokens that were made by hand are the first one's. */
export class SlackAccounts {
  readonly #worlds: readonly World[];
  readonly #workspaces = new Map<World, Workspace>();
  readonly #clock: () => number;

  constructor(options: WorldOptions, clock: () => number) {
    this.#clock = clock;
    this.#worlds = TEAMS.map(
      (team, nth) => new World({ ...options, seed: (options.seed + nth) >>> 0, team }),
    );
  }

  /** The workspace of an account; the first one for the organization, and without an id. */
  workspace(accountId?: string): Workspace {
    const world = this.#worlds.find(
      (one) =>
        accountId === undefined || one.teamId === accountId || organizationOf(one).id === accountId,
    );
    // Ids of accounts come from consents, whose people are of these worlds.
    if (world === undefined) throw new Error(`no workspace ${String(accountId)}`);
    const known = this.#workspaces.get(world);
    if (known !== undefined) return known;
    const workspace = new Workspace(world, this.#clock);
    this.#workspaces.set(world, workspace);
    return workspace;
  }

  /** Those who consent for one workspace each, then one who consents for the organization. */
  people(): readonly Person[] {
    const admins = this.#worlds
      .slice(0, 1)
      .map((world) => personAt(world, ORGANIZATION_ADMIN, organizationOf(world)));
    const members = this.#worlds.flatMap((world) =>
      PEOPLE.map((position) =>
        personAt(world, position, { id: world.teamId, name: world.team.name }),
      ),
    );
    return [...members, ...admins];
  }
}

/** Says whether an account is an organization rather than a workspace. */
export function isOrganization({ id }: Account): boolean {
  return id.startsWith('E');
}

function organizationOf({ teamId }: World): Account {
  return { id: `E${teamId.slice(1)}`, name: 'Sandbox Organization' };
}

function personAt(world: World, position: number, account: Account): Person {
  const { id, real_name: name = '' } = seededUser(world, position);
  return { id, name, account };
}
