import { Stats as StatsAnswer } from '@patchbay/connectors/wire';
import {
  LONGEST_STEP_SECONDS,
  MOST_POINTS,
  SHORTEST_STEP_SECONDS,
  type Stats,
} from '../operations/stats.ts';
import type { Route } from './route.ts';

/** @see docs/wire.md#stats */
export function statsRoutes(stats: Stats): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/stats',
      reach: 'stats',
      doc: {
        summary: 'What happened over time: calls, errors, latency, waits, records copied',
        tag: 'Stats',
        query: [
          {
            name: 'from',
            doc: 'The beginning, in UTC: an hour before the end unless said, 7 days ago at the earliest.',
            schema: { type: 'string', format: 'date-time' },
          },
          {
            name: 'to',
            doc: 'The end, in UTC: now unless said.',
            schema: { type: 'string', format: 'date-time' },
          },
          {
            name: 'step',
            doc: `Seconds between two points, of which there are at most ${MOST_POINTS}.`,
            schema: {
              type: 'integer',
              minimum: SHORTEST_STEP_SECONDS,
              maximum: LONGEST_STEP_SECONDS,
              multipleOf: SHORTEST_STEP_SECONDS,
            },
          },
          {
            name: 'connector_id',
            doc: 'Of this connector alone.',
            schema: { type: 'string', format: 'uuid' },
          },
          {
            name: 'application_id',
            doc: "Of this application alone; for the operator, who reads all applications'.",
            schema: { type: 'string', format: 'uuid' },
          },
        ],
        answer: StatsAnswer,
      },
      handle: async ({ access, query, log }) => {
        const { connector_id: id } = query;
        if (typeof id === 'string') log.connectorId = id.slice(0, 36);
        return { status: 200, body: await stats.read(access, query) };
      },
    },
  ];
}
