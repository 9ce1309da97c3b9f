import type { Endpoint } from '../endpoint.ts';
import { IntercomError } from '../intercom-error.ts';
import { flagParameter } from '../parameters.ts';
import {
  segmentCount,
  seededAdmin,
  seededAdminWithAvatar,
  seededSegments,
  seededTags,
  seededTeams,
} from '../seeded-directory.ts';
import type { World } from '../world.ts';

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/admins/identifyadmin */
export const identifyAdmin: Endpoint = {
  verb: 'GET',
  path: '/me',
  pages: false,
  run: ({ workspace: { world }, caller }) => ({
    body: {
      ...seededAdminWithAvatar(world, positionOf(world, caller.grant?.person.id) ?? 0),
      // Only this endpoint gives the field.
      email_verified: true,
      app: {
        type: 'app',
        id_code: world.workspaceId,
        name: world.name,
        created_at: world.createdAt(0, world.contactCount),
        secure: false,
        identity_verification: false,
        timezone: 'Etc/UTC',
        region: 'US',
      },
    },
  }),
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/admins/listadmins */
export const listAdmins: Endpoint = {
  verb: 'GET',
  path: '/admins',
  pages: false,
  run: ({ workspace: { world }, parameters }) => {
    const adminAt = flagParameter(parameters, 'display_avatar')
      ? seededAdminWithAvatar
      : seededAdmin;
    const admins = adminPositions(world).map((position) => adminAt(world, position));
    return { body: { type: 'admin.list', admins } };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/admins/retrieveadmin */
export const showAdmin: Endpoint = {
  verb: 'GET',
  path: '/admins/{id}',
  pages: false,
  run: ({ workspace: { world }, id }) => {
    const found = positionOf(world, id);
    if (found === undefined) throw new IntercomError(404, 'admin_not_found', 'Admin not found');
    return { body: seededAdminWithAvatar(world, found) };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/teams/listteams */
export const listTeams: Endpoint = {
  verb: 'GET',
  path: '/teams',
  pages: false,
  run: ({ workspace }) => ({ body: { type: 'team.list', teams: seededTeams(workspace.world) } }),
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/teams/retrieveteam */
export const showTeam: Endpoint = {
  verb: 'GET',
  path: '/teams/{id}',
  pages: false,
  run: ({ workspace, id }) => {
    const team = seededTeams(workspace.world).find((one) => one.id === id);
    if (team === undefined) throw new IntercomError(404, 'team_not_found', 'Team not found');
    return { body: team };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/tags/listtags */
export const listTags: Endpoint = {
  verb: 'GET',
  path: '/tags',
  pages: false,
  run: ({ workspace }) => ({ body: { type: 'list', data: seededTags(workspace.world) } }),
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/tags/findtag */
export const showTag: Endpoint = {
  verb: 'GET',
  path: '/tags/{id}',
  pages: false,
  run: ({ workspace, id }) => {
    const tag = seededTags(workspace.world).find((one) => one.id === id);
    if (tag === undefined) throw resourceNotFound();
    return { body: tag };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/segments/listsegments */
export const listSegments: Endpoint = {
  verb: 'GET',
  path: '/segments',
  pages: false,
  run: ({ workspace: { world }, parameters }) => {
    const isCounted = flagParameter(parameters, 'include_count');
    const segments = seededSegments(world).map((segment, position) =>
      isCounted ? { ...segment, count: segmentCount(world, position) } : segment,
    );
    return { body: { type: 'segment.list', segments } };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/segments/retrievesegment */
export const showSegment: Endpoint = {
  verb: 'GET',
  path: '/segments/{id}',
  pages: false,
  run: ({ workspace, id }) => {
    const segment = seededSegments(workspace.world).find((one) => one.id === id);
    if (segment === undefined) throw resourceNotFound();
    return { body: segment };
  },
};

/** The position of an admin; that of the first one without an id. */
function positionOf(world: World, id = String(world.adminNumber(0))): number | undefined {
  return adminPositions(world).find((one) => String(world.adminNumber(one)) === id);
}

function adminPositions(world: World): readonly number[] {
  return Array.from({ length: world.adminCount }, (_, position) => position);
}

function resourceNotFound(): IntercomError {
  return new IntercomError(404, 'not_found', 'Resource Not Found');
}
