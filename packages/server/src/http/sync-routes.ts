import { Type } from 'typebox';
import { ConnectorError, isConnectorError, type Clock } from '@patchbay/connectors';
import {
  ConnectorInspection,
  RequestedRun,
  SyncRunPage,
  SyncStatus,
} from '@patchbay/connectors/wire';
import { isUuid } from '@patchbay/store';
import type { VerifiedToken } from '../access/access.ts';
import type { Admission } from '../admission/admission.ts';
import type { Logger } from '../log.ts';
import type { ConnectorViews } from '../operations/connector-views.ts';
import { checkBody, FaultList } from '../operations/input.ts';
import { checkPageQuery, MAX_PAGE } from '../operations/list-query.ts';
import type { SyncEvent, SyncRuns } from '../operations/sync-runs.ts';
import {
  EVENT_STREAM_HEADERS,
  EVENT_STREAM_TYPE,
  eventStream,
  type Piece,
} from './event-stream.ts';
import { ALSO_ITEM, ITEM, noteConnector } from './connector-paths.ts';
import { renderProblem } from './problem.ts';
import type { Answer, Call, Route } from './route.ts';

export interface SyncRouteParts {
  readonly syncRuns: SyncRuns;
  readonly views: ConnectorViews;
  readonly admission: Pick<Admission, 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the service begins to go down. */
  readonly stopping: AbortSignal;
  /** Rejects once the token, or its application, is revoked. */
  readonly requireLive: (token: VerifiedToken) => Promise<void> | void;
}

const TAG = 'Synchronisation';

const RUN_ID = {
  schema: Type.String(),
  isRequired: false,
  expects: 'the id of a run',
} as const;

/** @see docs/wire.md#syncs */
export function syncRoutes(parts: SyncRouteParts): readonly Route[] {
  const { syncRuns, views } = parts;
  return [
    {
      method: 'POST',
      path: `${ITEM}/sync`,
      also: [`${ALSO_ITEM}/sync`],
      reach: 'connectorChange',
      doc: {
        summary: 'Ask for a sync now; one that is queued already serves both',
        tag: TAG,
        status: 202,
        answer: RequestedRun,
      },
      handle: async (call) => ({
        status: 202,
        body: await syncRuns.start(call.access, noteConnector(call)),
      }),
    },
    {
      method: 'GET',
      path: `${ITEM}/sync`,
      also: [`${ALSO_ITEM}/sync`],
      reach: 'connectors',
      doc: {
        summary: 'The current and the last sync, entity by entity',
        tag: TAG,
        answer: SyncStatus,
      },
      handle: async (call) => ({
        status: 200,
        body: await syncRuns.view(call.access, noteConnector(call)),
      }),
    },
    {
      method: 'GET',
      path: `${ITEM}/sync/runs`,
      also: [`${ALSO_ITEM}/sync/runs`],
      reach: 'connectors',
      doc: {
        summary: 'What the last syncs of a connector did, newest first',
        tag: TAG,
        query: [
          {
            name: 'limit',
            doc: 'Syncs per page, 1,000 unless said: all there are.',
            schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE },
          },
          { name: 'cursor', doc: '`next` of the page before.', schema: { type: 'string' } },
        ],
        answer: SyncRunPage,
      },
      handle: async (call) => ({
        status: 200,
        body: await syncRuns.history(call.access, noteConnector(call), checkPageQuery(call.query)),
      }),
    },
    {
      method: 'GET',
      path: `${ITEM}/sync/events`,
      also: [`${ALSO_ITEM}/sync/events`],
      reach: 'connectors',
      doc: {
        summary: 'The same as Server-Sent Events, until the run has ended',
        tag: TAG,
        query: [
          {
            name: 'run_id',
            doc: 'Until this run has ended, instead of the current one.',
            schema: { type: 'string', format: 'uuid' },
          },
        ],
        headers: [
          {
            name: 'Last-Event-ID',
            doc: 'Goes on with the run of that event.',
            schema: { type: 'string' },
          },
        ],
        type: 'text/event-stream',
      },
      handle: (call) => watch(parts, call),
    },
    {
      method: 'GET',
      path: `${ITEM}/inspect`,
      also: [`${ALSO_ITEM}/inspect`],
      reach: 'connectors',
      doc: {
        summary: 'Read a connector and how far its searchable copies are',
        tag: TAG,
        answer: ConnectorInspection,
      },
      handle: async (call) => {
        const { row, entities } = await syncRuns.inspect(call.access, noteConnector(call));
        return { status: 200, body: await views.inspectionOf(row, entities) };
      },
    },
  ];
}

/** Failures before the first event are answers like any other; later ones become an event. */
async function watch(parts: SyncRouteParts, call: Call): Promise<Answer> {
  const { syncRuns, admission, stopping, clock, logger, requireLive } = parts;
  const { access, expiresAt, requestId } = call;
  const id = noteConnector(call);
  const runId = runIdOf(call);
  // So that an absent connector is an answer, and not an event.
  await syncRuns.view(access, id);
  const end = admission.watch(call);
  const requireAdmission = () => {
    requireUnexpired(expiresAt, clock);
    return requireLive(call);
  };
  return {
    status: 200,
    type: EVENT_STREAM_TYPE,
    headers: EVENT_STREAM_HEADERS,
    discard: end,
    stream: eventStream((left) => {
      left.addEventListener('abort', end, { once: true });
      const signal = AbortSignal.any([left, stopping]);
      const events = syncRuns.watch(access, id, { runId, signal, requireAdmission });
      return piecesOf(events, { requestId, logger });
    }),
  };
}

async function* piecesOf(
  events: AsyncGenerator<SyncEvent, void, undefined>,
  { requestId, logger }: { readonly requestId: string; readonly logger: Logger },
): AsyncGenerator<Piece, void, undefined> {
  try {
    for await (const event of events) yield pieceOf(event);
  } catch (error) {
    if (!isConnectorError(error))
      logger.error({ err: error, request_id: requestId }, 'A watch of a sync broke off.');
    yield { event: 'problem', data: renderProblem(error, requestId).body };
  }
}

function pieceOf(event: SyncEvent): Piece {
  if (event.type === 'silence') return { comment: 'no news' };
  const { type, view, runId } = event;
  // So that a client which comes back goes on with that run.
  const id = runId === undefined ? {} : { id: runId };
  return { event: type, ...id, data: JSON.stringify(view) };
}

function runIdOf(call: Call): string | undefined {
  const faults = new FaultList();
  const { run_id: asked } = checkBody({ run_id: RUN_ID }, call.query, faults);
  if (typeof asked === 'string' && !isUuid(asked))
    faults.add({
      field: 'run_id',
      errorCode: 'not_allowed',
      message: 'must be the id of a run, a UUID',
    });
  faults.throwAny();
  // A browser sends the last id it got, whatever that was.
  const last = call.header('last-event-id');
  const given = last !== undefined && isUuid(last) ? last : asked;
  return typeof given === 'string' ? given.toLowerCase() : undefined;
}

function requireUnexpired(expiresAt: number, clock: Clock): void {
  if (clock.now() < expiresAt) return;
  throw new ConnectorError(
    'token_expired',
    {},
    { message: 'The bearer token has expired; ask for a new one and connect again.' },
  );
}
