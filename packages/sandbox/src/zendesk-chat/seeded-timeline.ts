import { hash32, pick } from '../seeded-random.ts';
import type { SeededItems } from './export-log.ts';
import type { ChatWorld } from './world.ts';

const MICROS = 1_000_000;

/** Rows come in blocks: all agents at once when a shift begins, and twice as many one by one. */
const ROWS_PER_AGENT = 3;

/**
 * What agents did when, in microseconds. At every beginning of a shift as many rows share one time as
 * there are agents.
 *
 * @see https://developer.zendesk.com/api-reference/live-chat/chat-api/incremental_export/
 */
export function seededTimeline(world: ChatWorld): SeededItems {
  return {
    count: world.counts.agent_timeline,
    placeAt: (position) => {
      const { time, agent } = rowAt(world, position);
      return { time, id: `agent:${String(world.ids.agents.idAt(agent)).padStart(8, '0')}` };
    },
    recordAt: (position) => {
      const { time, agent } = rowAt(world, position);
      const hash = hash32(world.seed, position, 97);
      const status = pick(['online', 'away', 'invisible'] as const, hash);
      return {
        agent_id: world.ids.agents.idAt(agent),
        start_time: isoMicros(time),
        status,
        duration: (hash % 3_600_000) / 1_000,
        engagement_count: status === 'online' ? hash % 6 : 0,
      };
    },
    changed: (record) => ({ ...record, engagement_count: 99 }),
    added: (record, time) => ({ ...record, start_time: isoMicros(time) }),
    movesWhenChanged: false,
  };
}

function rowAt(world: ChatWorld, position: number) {
  const { agents, agent_timeline: rows } = world.counts;
  const blockRows = agents * ROWS_PER_AGENT;
  const block = Math.floor(position / blockRows);
  const within = position % blockRows;
  const blocks = Math.ceil(rows / blockRows);
  const blockMicros = Math.floor(((world.endsAt - world.startsAt) * MICROS) / (blocks + 1));
  const startsAt = world.startsAt * MICROS + block * blockMicros;
  if (position >= rows) return { time: world.endsAt * MICROS, agent: position % agents };
  if (within < agents) return { time: startsAt, agent: within };
  const step = Math.floor(blockMicros / blockRows);
  const agent = hash32(world.seed, position, 96) % agents;
  return { time: startsAt + (within - agents + 1) * step + (position % 7), agent };
}

function isoMicros(micros: number): string {
  const seconds = Math.floor(micros / MICROS);
  const fraction = String(micros - seconds * MICROS).padStart(6, '0');
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${fraction}Z`;
}
