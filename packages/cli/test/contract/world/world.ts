import { randomUUID } from 'node:crypto';
import type { Clock, KindName } from '@patchbay/connectors';
import { SEARCH_LIMITS, systemClock } from '@patchbay/connectors/engine';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { startService, type Service, type ServiceOptions } from '@patchbay/server';
import { openStore } from '@patchbay/store';
import { EMBEDDED } from '@patchbay/store/testing';
import { temporaryFolder } from '../../support/run-cli.ts';
import type { Call, SurfaceName } from '../call.ts';
import { makeCopied, makeOthers, nameOf, type User } from './connectors.ts';
import { openGate, type Gate } from './gate.ts';
import { placeOf, PLACES, type Place } from './tokens.ts';

/** Everything that the surfaces are to see alike: one service, and upstreams of the same data. */
export interface World extends AsyncDisposable {
  readonly service: Service;
  readonly user: User;
  /** For files of the test. */
  readonly folder: string;
  readonly upstreams: Upstreams;
  /** Stands before the upstreams that can be written to. */
  readonly gate: Gate;
  /** The upstream that a call of a surface reaches. */
  sandboxOf(surface: SurfaceName, call: Call): Sandbox;
  /** The connector at the service that a call of a surface is about. */
  connectorId(surface: SurfaceName, call: Call): string;
}

/** The way to the upstream of each kind. */
export type Upstreams = Readonly<
  Record<
    KindName,
    {
      readonly baseUrl: string;
      readonly limits: 'reactive';
      readonly fileOrigins?: readonly string[];
    }
  >
>;

const LONGEST_PAUSE_MS = 5_000;

/** Pauses between two attempts take no time; deadlines, and waits that upstreams ask for, do. */
export const IMPATIENT_CLOCK: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  // The time that a search may take is no pause.
  after: (ms, callback) => systemClock.after(isPause(ms) ? 0 : ms, callback),
};

function isPause(ms: number): boolean {
  return ms <= LONGEST_PAUSE_MS && ms !== SEARCH_LIMITS.usualTimeoutMs;
}

/** The same data everywhere, and a clock that stands still: also what is written gets the same ids. */
const ALIKE = { seed: 7, clock: () => Date.UTC(2026, 5, 1) };

/** No more is copied than searches need. */
const SHARED_SCALE = 40;

export async function makeWorld(): Promise<World> {
  await using made = new AsyncDisposableStack();
  const sandboxes = await startSandboxes(made);
  const gate = made.use(await openGate((header) => sandboxes[placeOf(header)].url));
  const upstreams = upstreamsOf(sandboxes.shared, gate);
  const place = await EMBEDDED.make();
  made.defer(() => place.remove());
  const store = await openStore(place.options);
  made.defer(() => store.close());
  const options: ServiceOptions = {
    store,
    masterKey: new Uint8Array(32).fill(7),
    port: 0,
    upstreams,
    logger: { level: 'silent' },
  };
  const user = {
    clientId: `client-${randomUUID()}`,
    clientSecret: `secret-${randomUUID()}`,
    externalUserId: 'user-1',
  };
  const copied = await withService(options, user, ({ url }) => makeCopied(url, user));
  // From here on nothing is replicated, so that the upstreams' faults are left to the calls.
  const service = made.use(await startService({ ...options, role: 'api', clock: IMPATIENT_CLOCK }));
  const ids = new Map([...copied, ...(await makeOthers(service.url, user))]);
  const folder = made.use(await temporaryFolder());
  const kept = made.move();
  return {
    service,
    user,
    folder: folder.path,
    upstreams,
    gate,
    sandboxOf: (surface, { kind, target }) => {
      const isOwn = kind === 'chat-workspace' && (target === 'own' || target === 'rejected');
      return sandboxes[isOwn ? surface : 'shared'];
    },
    connectorId: (surface, call) => {
      const name = nameOf(surface, call);
      const id = ids.get(name);
      if (id === undefined) throw new Error(`there is no connector ${name}`);
      return id;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function startSandboxes(
  made: AsyncDisposableStack,
): Promise<Readonly<Record<Place, Sandbox>>> {
  const sandboxes: Partial<Record<Place, Sandbox>> = {};
  for (const place of PLACES) {
    const scale = place === 'shared' ? { scale: SHARED_SCALE } : {};
    sandboxes[place] = made.use(await startSandbox({ ...ALIKE, ...scale }));
  }
  // There is one for each place now.
  return sandboxes as Record<Place, Sandbox>;
}

/** Only Slack can be written to: there, each surface has an upstream of its own, behind the gate. */
function upstreamsOf({ urls }: Sandbox, gate: Gate): Upstreams {
  const limits = 'reactive';
  return {
    'chat-workspace': { baseUrl: gate.url + new URL(urls.slack).pathname, limits },
    'support-chat': { baseUrl: urls.zendeskChat, limits },
    'customer-messaging': { baseUrl: urls.intercom, limits },
    'support-ticketing': {
      baseUrl: urls.zendeskSupport,
      limits,
      fileOrigins: [new URL(urls.zendeskFiles).origin],
    },
  };
}

/** Does something with a service that knows the user's application, and ends it. */
async function withService<T>(
  options: ServiceOptions,
  user: User,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  await using service = await startService(options);
  await service.ensureFirstApplication(user);
  return await work(service);
}
