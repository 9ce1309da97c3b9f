import {
  Application,
  ApplicationPage,
  DeletedApplication,
  NewApplication,
  NewApplicationSecret,
} from '@patchbay/connectors/wire';
import type { ApplicationDesk } from '../operations/application-desk.ts';
import { checkPageQuery, MAX_PAGE } from '../operations/list-query.ts';
import { answerOnce, CREATION_KEY, locationIn, type AnswerOnceParts } from './answer-once.ts';
import { pathParameter, requireBody } from './require-body.ts';
import type { Route } from './route.ts';
import { ref } from './schemas.ts';

const TAG = 'Applications';
const COLLECTION = '/v1/applications';
const ITEM = `${COLLECTION}/:id`;

/** @see docs/wire.md#applications */
export function applicationRoutes(desk: ApplicationDesk, once: AnswerOnceParts): readonly Route[] {
  return [...collectionRoutes(desk, once), ...itemRoutes(desk), ...secretRoutes(desk, once)];
}

function collectionRoutes(desk: ApplicationDesk, once: AnswerOnceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: COLLECTION,
      reach: 'applications',
      doc: {
        summary: 'List applications',
        tag: TAG,
        query: [
          {
            name: 'limit',
            doc: 'Applications per page, 1,000 unless said.',
            schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE },
          },
          { name: 'cursor', doc: '`next` of the page before.', schema: { type: 'string' } },
        ],
        answer: ApplicationPage,
      },
      handle: async ({ query }) => ({ status: 200, body: await desk.list(checkPageQuery(query)) }),
    },
    {
      method: 'POST',
      path: COLLECTION,
      reach: 'applications',
      doc: {
        summary: 'Make an application; its client secret is told this once',
        tag: TAG,
        headers: [CREATION_KEY],
        body: ref('NewApplication'),
        status: 201,
        answer: NewApplication,
      },
      handle: async (call) => {
        const body = requireBody(call);
        return answerOnce(once, call, {
          route: `POST ${COLLECTION}`,
          create: () => desk.create(body),
          headersOf: locationIn(COLLECTION),
        });
      },
    },
  ];
}

function itemRoutes(desk: ApplicationDesk): readonly Route[] {
  return [
    {
      method: 'GET',
      path: ITEM,
      reach: 'ownApplication',
      doc: { summary: 'Read an application', tag: TAG, answer: Application },
      handle: async (call) => ({
        status: 200,
        body: await desk.read(call.access, pathParameter(call, 'id')),
      }),
    },
    {
      method: 'PATCH',
      path: ITEM,
      reach: 'ownApplication',
      doc: {
        summary:
          'Change an application: name, allowed_origins, allowed_return_urls, and for the operator rate_limit',
        tag: TAG,
        body: ref('ApplicationChange'),
        answer: Application,
      },
      handle: async (call) => {
        const body = requireBody(call);
        return {
          status: 200,
          body: await desk.change(call.access, pathParameter(call, 'id'), body),
        };
      },
    },
    {
      method: 'DELETE',
      path: ITEM,
      reach: 'applications',
      doc: {
        summary: 'Delete an application, its connectors and their copies, for good',
        tag: TAG,
        status: 202,
        answer: DeletedApplication,
      },
      handle: async (call) => ({
        status: 202,
        body: { job_id: await desk.delete(pathParameter(call, 'id')) },
      }),
    },
  ];
}

function secretRoutes(desk: ApplicationDesk, once: AnswerOnceParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: `${ITEM}/secrets`,
      reach: 'applications',
      doc: {
        summary: 'Give an application another client secret, told this once',
        tag: TAG,
        headers: [CREATION_KEY],
        status: 201,
        answer: NewApplicationSecret,
      },
      handle: async (call) => {
        const id = pathParameter(call, 'id');
        return answerOnce(once, call, {
          route: `POST ${COLLECTION}/${id.toLowerCase()}/secrets`,
          create: () => desk.addSecret(id),
        });
      },
    },
    {
      method: 'DELETE',
      path: `${ITEM}/secrets/:secret`,
      reach: 'applications',
      doc: {
        summary: 'Delete a client secret; the last one stays',
        tag: TAG,
        status: 204,
      },
      handle: async (call) => {
        await desk.deleteSecret(pathParameter(call, 'id'), pathParameter(call, 'secret'));
        return { status: 204, text: '' };
      },
    },
  ];
}
