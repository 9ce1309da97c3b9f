import { Type } from 'typebox';
import { ConnectSession, ConnectSessionPage, NewConnectSession } from '@patchbay/connectors/wire';
import { requireTenant } from '../access/reach.ts';
import type {
  Confirmation,
  ConnectSessions,
  MadeSession,
} from '../connect-sessions/connect-sessions.ts';
import { checkSessionQuery, SESSION_STATUSES } from '../connect-sessions/session-query.ts';
import { viewListedSession, viewSession } from '../connect-sessions/session-view.ts';
import { checkBody, externalUserFaults, FaultList, unifySynonyms } from '../operations/input.ts';
import { MAX_PAGE } from '../operations/list-query.ts';
import { answerOnce, CREATION_KEY, locationIn, type AnswerOnceParts } from './answer-once.ts';
import { pathParameter, requireBody } from './require-body.ts';
import type { Call, Route } from './route.ts';
import { ref } from './schemas.ts';

const TAG = 'Connect sessions';
const COLLECTION = '/v1/connect-sessions';
const ITEM = `${COLLECTION}/:session`;

const CONFIRM_MEMBERS = {
  external_user_id: {
    schema: Type.String(),
    isRequired: true,
    expects: 'a string of 1 to 4,096 characters',
  },
  connector_id: { schema: Type.String(), isRequired: false, expects: 'the id of a connector' },
} as const;

/** @see docs/wire.md#connect-sessions */
export function connectSessionRoutes(
  sessions: ConnectSessions,
  once: AnswerOnceParts,
): readonly Route[] {
  return [...collectionRoutes(sessions, once), ...itemRoutes(sessions)];
}

function collectionRoutes(sessions: ConnectSessions, once: AnswerOnceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: COLLECTION,
      reach: 'connectSessionReading',
      doc: {
        summary: 'List connect sessions, newest first, and how far each is',
        tag: TAG,
        query: [
          {
            name: 'application_id',
            doc: "Only sessions of this application; for the operator, who reads all applications'.",
            schema: { type: 'string', format: 'uuid' },
          },
          {
            name: 'status',
            doc: 'Only sessions with this status.',
            schema: { type: 'string', enum: SESSION_STATUSES },
          },
          {
            name: 'limit',
            doc: 'Sessions per page, 1,000 unless said.',
            schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE },
          },
          { name: 'cursor', doc: '`next` of the page before.', schema: { type: 'string' } },
        ],
        answer: ConnectSessionPage,
      },
      handle: async ({ access, query }) => {
        const page = await sessions.list(access, checkSessionQuery(query));
        const data = page.sessions.map(viewListedSession);
        return { status: 200, body: { data, next: page.next } };
      },
    },
    {
      method: 'POST',
      path: COLLECTION,
      reach: 'connectSessionCreation',
      doc: {
        summary: 'Make a link by which a person connects something of theirs',
        tag: TAG,
        headers: [CREATION_KEY],
        body: ref('ConnectSessionRequest'),
        status: 201,
        answer: NewConnectSession,
      },
      handle: async (call) => {
        const body = requireBody(call);
        return answerOnce(once, call, {
          route: `POST ${COLLECTION}`,
          create: async () => viewMade(await sessions.create(requireTenant(call.access), body)),
          headersOf: locationIn(COLLECTION),
        });
      },
    },
  ];
}

function itemRoutes(sessions: ConnectSessions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: ITEM,
      reach: 'connectSessionReading',
      doc: { summary: 'How far a connect session is', tag: TAG, answer: ConnectSession },
      handle: async (call) => {
        const session = await sessions.read(call.access, pathParameter(call, 'session'));
        call.log.applicationId = session.applicationId;
        return { status: 200, body: viewSession(session) };
      },
    },
    {
      method: 'POST',
      path: `${ITEM}/confirm`,
      reach: 'connectSessionConfirmation',
      doc: {
        summary: 'Say which external user came back: what was connected works from here on',
        tag: TAG,
        body: ref('ConnectSessionConfirmation'),
        answer: ConnectSession,
      },
      handle: async (call) => {
        const by = checkConfirmation(call);
        const id = pathParameter(call, 'session');
        const session = await sessions.confirm(call.access, id, by);
        call.log.applicationId = session.applicationId;
        call.log.connectorId = session.connectorId;
        return { status: 200, body: viewSession(session) };
      },
    },
  ];
}

function viewMade({ session, connectUrl }: MadeSession): NewConnectSession {
  const { id, expiresAt } = session;
  return { id, connect_url: connectUrl, expires_at: expiresAt.toISOString() };
}

function checkConfirmation(call: Call): Confirmation {
  const faults = new FaultList();
  const input = unifySynonyms(requireBody(call), 'external_user_id', faults);
  const { external_user_id: externalUserId, connector_id: connectorId } = checkBody(
    CONFIRM_MEMBERS,
    input,
    faults,
  );
  faults.add(...externalUserFaults(externalUserId));
  faults.throwAny();
  return {
    externalUserId: String(externalUserId),
    ...(typeof connectorId === 'string' ? { connectorId } : {}),
  };
}
