import {
  Connector,
  ConnectorCheck,
  ConnectorPage,
  ConnectorsOfUser,
  DeletedConnector,
  KindDescription,
  Workspaces,
} from '@patchbay/connectors/wire';
import { checkBody, FaultList, SYNONYMS } from '../operations/input.ts';
import { requireCreation, type Connectors } from '../operations/connectors.ts';
import type { ConnectorViews } from '../operations/connector-views.ts';
import { checkDeletion } from '../operations/deletion-input.ts';
import { checkListQuery, MAX_PAGE, MAX_TEXT, STATUSES } from '../operations/list-query.ts';
import { Type } from 'typebox';
import { ALSO_COLLECTION, ALSO_ITEM, COLLECTION, ITEM, noteConnector } from './connector-paths.ts';
import { answerOnce, CREATION_KEY, locationIn, type AnswerOnceParts } from './answer-once.ts';
import { REVOKE } from './deletion-routes.ts';
import { requireBody } from './require-body.ts';
import type { Answer, Call, Route, RouteParameter } from './route.ts';
import { ref } from './schemas.ts';
import { taggedAnswer } from './tagged-answer.ts';
import { untilDisconnect } from './until-disconnect.ts';

const TAG = 'Connectors';

const FILTERS: readonly RouteParameter[] = [
  {
    name: 'application_id',
    doc: "Only connectors of this application; for the operator, who reads all applications'.",
    schema: { type: 'string', format: 'uuid' },
  },
  {
    name: 'external_user_id',
    doc: 'Only connectors of this external user.',
    schema: { type: 'string' },
  },
  ...SYNONYMS.external_user_id.map((name) => ({
    name,
    doc: 'Instead of external_user_id.',
    schema: { type: 'string' },
  })),
  { name: 'connector_type', doc: 'Only connectors of this kind.', schema: { type: 'string' } },
  {
    name: 'definition_id',
    doc: 'Instead of connector_type.',
    schema: { type: 'string', format: 'uuid' },
  },
];

/** @see docs/wire.md#connectors */
export function connectorRoutes(
  parts: ConnectorRouteParts,
  once: AnswerOnceParts,
): readonly Route[] {
  return [
    ...collectionRoutes(parts, once),
    ...itemRoutes(parts),
    ...viewRoutes(parts),
    ...earlierRoutes(parts),
  ];
}

export interface ConnectorRouteParts {
  readonly connectors: Connectors;
  readonly views: ConnectorViews;
}

function collectionRoutes(
  { connectors, views }: ConnectorRouteParts,
  once: AnswerOnceParts,
): readonly Route[] {
  return [
    {
      method: 'POST',
      path: COLLECTION,
      also: [ALSO_COLLECTION],
      reach: 'connectorCreation',
      doc: {
        summary: 'Create a connector',
        tag: TAG,
        headers: [CREATION_KEY],
        body: ref('NewConnector'),
        alsoBody: ref('NewConnectorOfToken'),
        status: 201,
        answer: Connector,
      },
      handle: async (call) => {
        const body = requireBody(call);
        // Before a kept answer, which is of whichever connector the key made.
        requireCreation(call.access);
        return answerOnce(once, call, {
          // The other path fills in what is missing: there the same body may make another connector.
          route: `POST ${call.isAlso ? ALSO_COLLECTION : COLLECTION}`,
          create: async (signal) => {
            const options = { hasDefaults: call.isAlso, signal };
            const row = await connectors.create(call.access, body, options);
            call.log.connectorId = row.id;
            return views.ofNew(row);
          },
          headersOf: locationIn(COLLECTION),
        });
      },
    },
    {
      method: 'GET',
      path: COLLECTION,
      also: [ALSO_COLLECTION],
      reach: 'connectors',
      doc: {
        summary: 'List connectors',
        tag: TAG,
        query: [
          ...FILTERS,
          {
            name: 'status',
            doc: 'Only connectors with this status.',
            schema: { type: 'string', enum: STATUSES },
          },
          {
            name: 'q',
            doc: 'Only connectors with this text in their name, external user or account; capitals are as small letters.',
            schema: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
          },
          {
            name: 'limit',
            doc: 'Connectors per page, 1,000 unless said.',
            schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE },
          },
          { name: 'cursor', doc: '`next` of the page before.', schema: { type: 'string' } },
        ],
        answer: ConnectorPage,
      },
      handle: async ({ access, query }) => {
        const checked = checkListQuery(query, { isPaged: true, requiresExternalUser: false });
        const { rows, next } = await connectors.list(access, checked);
        return { status: 200, body: { data: await views.all(rows), next } };
      },
    },
  ];
}

function itemRoutes({ connectors, views }: ConnectorRouteParts): readonly Route[] {
  const change = async (call: Call): Promise<Answer> => {
    const id = noteConnector(call);
    const body = requireBody(call);
    const row = await untilDisconnect(call, (signal) =>
      connectors.change(call.access, id, { body, signal }),
    );
    return { status: 200, body: await views.of(row) };
  };
  const changeDoc = {
    summary:
      'Change a connector: name, credentials, replace_account, config, replication_config, paused (copying stops), disabled (calls stop, too)',
    tag: TAG,
    body: ref('ConnectorChange'),
    answer: Connector,
  };
  return [
    {
      method: 'GET',
      path: ITEM,
      also: [ALSO_ITEM],
      reach: 'connectors',
      doc: { summary: 'Read a connector', tag: TAG, answer: Connector },
      handle: async (call) => {
        const row = await connectors.read(call.access, noteConnector(call));
        return { status: 200, body: await views.of(row) };
      },
    },
    {
      method: 'PATCH',
      path: ITEM,
      also: [ALSO_ITEM],
      reach: 'connectorChange',
      doc: changeDoc,
      handle: change,
    },
    {
      method: 'PUT',
      path: ITEM,
      also: [ALSO_ITEM],
      reach: 'connectorChange',
      doc: { ...changeDoc, summary: 'The same as PATCH, for earlier clients' },
      handle: change,
    },
    {
      method: 'DELETE',
      path: ITEM,
      also: [ALSO_ITEM],
      reach: 'connectorChange',
      doc: {
        summary:
          'Delete a connector and its credentials, which are revoked upstream where that can be',
        tag: TAG,
        query: [REVOKE],
        isQueryInBody: true,
        status: 202,
        answer: DeletedConnector,
      },
      handle: async (call) => {
        const id = noteConnector(call);
        const options = checkDeletion(call.query, call.body);
        return {
          status: 202,
          body: { job_id: await connectors.delete(call.access, id, options) },
        };
      },
    },
  ];
}

function viewRoutes({ connectors }: ConnectorRouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: `${ITEM}/check`,
      also: [`${ALSO_ITEM}/check`],
      reach: 'connectorChange',
      doc: { summary: 'Try the credentials upstream', tag: TAG, answer: ConnectorCheck },
      handle: async (call) => {
        const id = noteConnector(call);
        const report = await untilDisconnect(call, (signal) =>
          connectors.check(call.access, id, { signal, caller: call.access }),
        );
        return { status: 200, body: { id: id.toLowerCase(), ...report } };
      },
    },
    {
      method: 'GET',
      path: `${ITEM}/describe`,
      also: [`${ALSO_ITEM}/describe`],
      reach: 'connectors',
      doc: {
        summary: 'Entities, actions, params and fields of a connector',
        tag: TAG,
        answer: KindDescription,
        isTagged: true,
      },
      handle: async (call) =>
        taggedAnswer(call, await connectors.describe(call.access, noteConnector(call))),
    },
  ];
}

/** Only clients of other generations call these. */
function earlierRoutes({ connectors, views }: ConnectorRouteParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/connectors/connectors_for_user',
      reach: 'connectors',
      doc: {
        summary: 'All connectors of an external user',
        tag: TAG,
        query: FILTERS,
        answer: ConnectorsOfUser,
      },
      handle: async ({ access, query }) => {
        const filter = checkListQuery(query, {
          isPaged: false,
          requiresExternalUser: access.type !== 'scoped',
        });
        const rows = await connectors.listAll(access, filter);
        return { status: 200, body: { connectors: await views.all(rows) } };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/workspaces',
      reach: 'externalUsers',
      doc: {
        summary: 'The external users that have connectors',
        tag: TAG,
        query: [
          {
            name: 'name_contains',
            doc: 'Only ids that contain this text, as it is spelled.',
            schema: { type: 'string' },
          },
        ],
        answer: Workspaces,
      },
      handle: async ({ access, query }) => {
        const users = await connectors.externalUsers(access, nameContains(query));
        return { status: 200, body: { data: users.map((id) => ({ id, name: id })) } };
      },
    },
  ];
}

function nameContains(query: Call['query']): string | undefined {
  const faults = new FaultList();
  const text = { schema: Type.String(), isRequired: false, expects: 'a single value' };
  const { name_contains: contains } = checkBody({ name_contains: text }, query, faults);
  faults.throwAny();
  return typeof contains === 'string' && contains !== '' ? contains : undefined;
}
