import type { Clock } from '@patchbay/connectors';
import type { CopyRecord } from '@patchbay/store';
import {
  DATABASE,
  makeReplicationGround,
  startReplicating,
  upstreamsOf,
  type ReplicatingService,
  type ReplicationGround,
} from './replicating.ts';
import { startProxy, type TamperingProxy } from './tampering-proxy.ts';

const HOSTS = {
  'chat-workspace': 'slack',
  'customer-messaging': 'intercom',
  'support-ticketing': 'zendeskSupport',
} as const;

/** Of Slack; nothing is so old that it is left out. */
export const SINCE_DECEMBER = {
  start_date: '2025-12-01T00:00:00Z',
  lookback_window: 1,
  join_channels: false,
};

export interface BehindProxy extends AsyncDisposable {
  readonly ground: ReplicationGround;
  readonly proxy: TamperingProxy;
  readonly running: ReplicatingService;
}

/** A service that replicates one kind through a proxy that changes answers on their way. */
export async function replicating(
  kind: keyof typeof HOSTS,
  { clock, ...options }: { readonly scale?: number; readonly clock?: Clock } = {},
): Promise<BehindProxy> {
  await using parts = new AsyncDisposableStack();
  const ground = parts.use(await makeReplicationGround(DATABASE, options));
  const proxy = parts.use(await startProxy(ground.sandbox.urls[HOSTS[kind]]));
  const running = parts.use(
    await startReplicating(ground, {
      ...(clock === undefined ? {} : { clock }),
      upstreams: {
        ...upstreamsOf(ground.sandbox),
        [kind]: { baseUrl: proxy.url, limits: 'reactive' },
      },
      replication: { patienceMs: 100, waits: { firstMs: 5, longestMs: 10 } },
    }),
  );
  const all = parts.move();
  return { ground, proxy, running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The channel with most messages in a copy of all of them, and how many it has. */
export function busiest(
  messages: ReadonlyMap<string, CopyRecord['values']>,
): readonly [string, number] {
  const byChannel = Map.groupBy(messages.keys(), (key) => key.split(':', 1)[0] ?? '');
  const [first] = [...byChannel].toSorted(([, a], [, b]) => b.length - a.length);
  if (first === undefined) throw new Error('there are no messages');
  return [first[0], first[1].length];
}
