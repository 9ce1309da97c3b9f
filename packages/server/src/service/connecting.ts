import { isLoopbackHost } from '@patchbay/connectors/wire';
import { ConnectSessions } from '../connect-sessions/connect-sessions.ts';
import { PageSessions } from '../connect-sessions/page-sessions.ts';
import { SessionEnds } from '../connect-sessions/session-ends.ts';
import { ConsentEnding } from '../consent/consent-ending.ts';
import { Consents, DEFAULT_CONSENT_SETTINGS } from '../consent/consents.ts';
import { Initiation } from '../consent/initiation.ts';
import { UnusedTokens } from '../revocation/unused-tokens.ts';
import type { AccessParts } from './access.ts';
import type { ServiceAddress } from './address.ts';
import type { Basis } from './basis.ts';
import type { OperationParts } from './operations.ts';
import type { ServiceOptions } from './contract.ts';

/** How people connect their accounts: consent at vendors, and links that lead to it. */
export type ConnectingParts = ReturnType<typeof makeConnecting>;

interface ConnectingNeeds {
  readonly options: ServiceOptions;
  readonly basis: Basis;
  readonly access: AccessParts;
  readonly operations: OperationParts;
  readonly address: ServiceAddress;
}

export function makeConnecting({ options, basis, access, operations, address }: ConnectingNeeds) {
  const { store, clock, logger, upstreams, quotas } = basis;
  const { vault } = access;
  const { live, given, accounts, connectors, syncRuns, apps } = operations;
  const publicUrl = () => address.publicUrl();
  const isLoopbackService = () =>
    isLoopbackHost(address.host) &&
    isLoopbackHost(new URL(publicUrl() ?? 'http://localhost').hostname);
  const application = async (id: string) => {
    const found = await store.applications.findById(id);
    return found?.revokedAt === null ? found : undefined;
  };
  const unusedTokens = new UnusedTokens({ store, vault, clock });
  const ending = new ConsentEnding({
    apps,
    connectors,
    sessions: {
      receive: (id, received) => pageSessions.receive(id, received),
      decline: (id, problem) => pageSessions.decline(id, problem),
    },
    upstreams,
    discard: (discarded) => unusedTokens.discard(discarded),
    clock,
    logger,
  });
  const consents = new Consents({
    store,
    apps,
    ending,
    application,
    publicUrl,
    upstreams,
    settings: { ...DEFAULT_CONSENT_SETTINGS, ...options.consents },
    vault,
  });
  const ends = new SessionEnds({ store, connectors, live, application, vault, clock, logger });
  const pageSessions = new PageSessions({
    store,
    ends,
    live,
    given,
    accounts,
    syncRuns,
    consents,
    application,
    clock,
  });
  const connectSessions = new ConnectSessions({
    store,
    live,
    ends,
    application,
    publicUrl,
    isLoopbackService,
    quotas,
    clock,
  });
  const initiation = new Initiation({ consents, connectors, store, isLoopbackService, clock });
  return { consents, initiation, pageSessions, connectSessions };
}
