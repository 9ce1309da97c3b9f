import { DeletedExternalUser, Job } from '@patchbay/connectors/wire';
import type { Deletions } from '../operations/deletions.ts';
import { pathParameter } from './require-body.ts';
import type { Route, RouteParameter } from './route.ts';

const TAG = 'Connectors';

/** What goes along with a deletion. */
export const REVOKE: RouteParameter = {
  name: 'revoke',
  doc: '`false` leaves the credentials as they are upstream; also as a member of a JSON body.',
  schema: { type: 'string', enum: ['true', 'false'], default: 'true' },
};

/** @see docs/wire.md#external-users-and-jobs */
export function deletionRoutes(deletions: Deletions): readonly Route[] {
  return [
    {
      method: 'DELETE',
      path: '/v1/external-users/:user',
      reach: 'deletions',
      doc: {
        summary: 'Delete all connectors of an external user, their credentials and copies',
        tag: TAG,
        query: [
          REVOKE,
          {
            name: 'application_id',
            doc: "Whose user it is; for the operator's key, which needs it.",
            schema: { type: 'string', format: 'uuid' },
          },
        ],
        isQueryInBody: true,
        status: 202,
        answer: DeletedExternalUser,
      },
      handle: async (call) => {
        const { access, query, body } = call;
        const user = pathParameter(call, 'user');
        return {
          status: 202,
          body: { job_id: await deletions.deleteUser(access, user, { query, body }) },
        };
      },
    },
    {
      method: 'GET',
      path: '/v1/jobs/:id',
      reach: 'deletions',
      doc: {
        summary: 'What became of a deletion, by the job_id that it answered',
        tag: TAG,
        answer: Job,
      },
      handle: async (call) => ({
        status: 200,
        body: await deletions.job(call.access, pathParameter(call, 'id')),
      }),
    },
  ];
}
