import { percentiles } from '../support/measure.ts';
import type { Sample } from '../support/open-loop.ts';

/** What light tenants do. */
export const OPERATIONS = ['get', 'list', 'search', 'write'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A tenant with a small connector of its own, who asks for little. */
export interface LightTenant {
  readonly token: string;
  readonly connectorId: string;
  /** Where it posts messages. */
  readonly channel: string;
}

/** The order for a process that measures light tenants. */
export interface LightLoad {
  readonly url: string;
  readonly tenants: readonly LightTenant[];
  readonly seconds: number;
}

/** How the calls of one operation went. */
export interface Measured {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  /** Of the call that took longest, where the service says that its time went. */
  readonly slowest?: string;
  /** How many calls failed, by why. */
  readonly failures: Readonly<Record<string, number>>;
}

/** What light tenants saw of the service. */
export interface LightReport {
  readonly operations: Readonly<Record<Operation, Measured>>;
  /** The longest answer time of `/healthz`, and its failures. */
  readonly health: { readonly longestMs: number; readonly failures: number };
  /** How late the latest call was sent: what the machine itself took. */
  readonly latestMs: number;
}

/** A request of a light tenant, to be sent with its token. */
export interface LightRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/** What it asks for; `nth` makes writes differ. */
export function lightRequest(
  operation: Operation,
  { connectorId, channel }: LightTenant,
  nth: number,
): LightRequest {
  const path = `/api/v1/connectors/sources/${connectorId}/execute`;
  const execute = (body: unknown): LightRequest => ({ method: 'POST', path, body });
  switch (operation) {
    case 'get':
      return { method: 'GET', path: `/v1/integrations/connectors/${connectorId}` };
    case 'list':
      return execute({ entity: 'users', action: 'list', params: { limit: 20 } });
    case 'search':
      return execute({
        entity: 'users',
        action: 'search',
        params: { query: { filter: { fuzzy: { real_name: 'fenlo' } } }, limit: 10 },
      });
    case 'write':
      return execute({
        entity: 'messages',
        action: 'create',
        params: { channel, text: `Message ${nth}` },
      });
  }
}

export function measuredOf(samples: readonly Sample[]): Measured {
  const { p50, p99 } = percentiles(samples.map(({ ms }) => ms));
  const failures: Record<string, number> = {};
  for (const { failure } of samples)
    if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
  const slowest = samples.reduce((one, other) => (other.ms > one.ms ? other : one)).timing;
  return {
    calls: samples.length,
    p50,
    p99,
    failures,
    ...(slowest === undefined ? {} : { slowest }),
  };
}
