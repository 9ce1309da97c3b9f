import { Patchbay } from '@patchbay/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, use, useEffect, useMemo } from 'react';
import type { ReactNode } from 'react';
import { buyToken, hasNoSession, type ConsoleToken } from '../session/session-api.ts';
import { useSession, useSignedIn } from '../session/use-session.tsx';
import { noteServerTime, serverNow } from './server-clock.ts';

/** The service, and the way to leave it. */
interface OpenService {
  readonly client: Patchbay;
  /** The application on whose behalf it is called; null for the operator as such. */
  readonly actingFor: string | null;
  readonly queries: QueryClient;
  /** Has the token that is in use ended, which would outlive the session otherwise, and gets no other. */
  readonly close: () => void;
  /** Goes on, where the session did not end after all. */
  readonly reopen: () => void;
}

/** The service as components have it: on behalf of an application, or of whoever is signed in. */
interface ServiceInUse {
  readonly service: OpenService;
  /** On behalf of whoever is signed in, whatever is in between. */
  readonly ofSession: OpenService;
  /** Everything that has been opened in this session. */
  readonly opened: Set<OpenService>;
}

const ServiceContext = createContext<ServiceInUse | undefined>(undefined);

/** How long an answer is shown without being asked for again, where nothing has changed it. */
const FRESH_MS = 5_000;
/** How long the service is asked to end a token, by a page that nobody looks at any more. */
const REVOKING_MS = 2_000;

interface Props {
  /** On whose behalf the service is called; `undefined` for whoever is signed in. */
  readonly applicationId: string | undefined;
  readonly children: ReactNode;
}

/**
 * Gives the components below it the service, on behalf of one application. What was read on behalf of another is
 * forgotten with it.
 */
export function ServiceProvider({ applicationId, children }: Props) {
  const around = use(ServiceContext);
  const { end, renew } = useSession();
  const { application } = useSignedIn();
  const actingFor = applicationId ?? application?.id ?? null;
  const inUse = useMemo(() => {
    const service = openService({ applicationId, actingFor, onEnd: end, onDoubt: renew });
    return { ofSession: service, opened: new Set<OpenService>(), ...around, service };
  }, [applicationId, actingFor, end, renew, around]);
  useEffect(() => {
    inUse.opened.add(inUse.service);
  }, [inUse]);
  return <InUse inUse={inUse}>{children}</InUse>;
}

/** Gives the components below it the service on behalf of whoever is signed in: for an operator, of all applications. */
export function AsSession({ children }: { readonly children: ReactNode }) {
  const around = useServiceInUse();
  const inUse = useMemo(() => ({ ...around, service: around.ofSession }), [around]);
  return <InUse inUse={inUse}>{children}</InUse>;
}

function InUse({
  inUse,
  children,
}: {
  readonly inUse: ServiceInUse;
  readonly children: ReactNode;
}) {
  return (
    <ServiceContext value={inUse}>
      <QueryClientProvider client={inUse.service.queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

export function useService(): Patchbay {
  return useServiceInUse().service.client;
}

/** The id of the application on whose behalf components call the service; null for the operator as such. */
export function useActingFor(): string | null {
  return useServiceInUse().service.actingFor;
}

/** Ends what the console holds of the service, before the session ends, and goes on where that did not end. */
export function useServiceEnd(): Pick<OpenService, 'close' | 'reopen'> {
  const { opened } = useServiceInUse();
  return {
    close: () => {
      for (const { close } of opened) close();
    },
    reopen: () => {
      for (const { reopen } of opened) reopen();
    },
  };
}

function useServiceInUse(): ServiceInUse {
  const inUse = use(ServiceContext);
  if (inUse === undefined) throw new Error('There is no ServiceProvider.');
  return inUse;
}

interface OpenedFor {
  readonly applicationId: string | undefined;
  /** The application that tokens are to be of; null for those of the operator. */
  readonly actingFor: string | null;
  /** The session is over. */
  readonly onEnd: () => void;
  /** It may be somebody else's by now, who has signed in in this browser. */
  readonly onDoubt: () => Promise<void>;
}

/** The token lives in memory only; once it is refused, the session buys another. */
function openService({ applicationId, actingFor, onEnd, onDoubt }: OpenedFor): OpenService {
  let current: ConsoleToken | undefined;
  let isLeft = false;
  const client = new Patchbay({
    baseUrl: location.origin,
    fetch: async (...request) => {
      const response = await fetch(...request);
      noteServerTime(response);
      return response;
    },
    token: async () => {
      // Until the session has ended, what still refreshes would get another.
      if (isLeft) throw new Error('You are signing out.');
      try {
        const bought = await buyToken(applicationId);
        if (bought.application_id !== actingFor)
          throw new Error('Somebody else has signed in in this browser.');
        current = bought;
        return bought.token;
      } catch (error) {
        if (hasNoSession(error)) onEnd();
        // Where the session cannot be read either, this failure is told.
        else onDoubt().catch(() => undefined);
        throw error;
      }
    },
  });
  return {
    client,
    actingFor,
    // The client repeats by itself what may be repeated.
    queries: new QueryClient({
      defaultOptions: {
        queries: { retry: false, staleTime: FRESH_MS },
        mutations: { retry: false },
      },
    }),
    close: () => {
      isLeft = true;
      const last = current;
      // For one that has ended by itself the client would get another.
      if (last === undefined || Date.parse(last.expires_at) <= serverNow()) return;
      const body = { token: last.token };
      // One that cannot be revoked in time ends by itself, minutes later.
      client
        .request('POST', '/v1/tokens/revoke', { body, timeoutMs: REVOKING_MS })
        .catch(() => undefined);
    },
    reopen: () => {
      isLeft = false;
    },
  };
}
