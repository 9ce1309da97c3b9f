import { Patchbay } from '@patchbay/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, use, useMemo } from 'react';
import type { ReactNode } from 'react';
import { buyToken, hasNoSession } from '../session/session-api.ts';

const ServiceContext = createContext<Patchbay | undefined>(undefined);

/** How long an answer is shown without being asked for again, where nothing has changed it. */
const FRESH_MS = 5_000;

interface Props {
  /** On whose behalf the service is called; `undefined` for the operator itself. */
  readonly applicationId: string | undefined;
  readonly onSessionEnd: () => void;
  readonly children: ReactNode;
}

/**
 * Gives the components below it the service, on behalf of one application. What was read on behalf of another is
 * forgotten with it.
 */
export function ServiceProvider({ applicationId, onSessionEnd, children }: Props) {
  const service = useMemo(
    () => openService(applicationId, onSessionEnd),
    [applicationId, onSessionEnd],
  );
  const queries = useMemo(() => newQueries(service), [service]);
  return (
    <ServiceContext value={service}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

export function useService(): Patchbay {
  const service = use(ServiceContext);
  if (service === undefined) throw new Error('There is no ServiceProvider around this component.');
  return service;
}

/** The token lives in the client's memory only; once it is refused, the session buys another. */
function openService(applicationId: string | undefined, onSessionEnd: () => void): Patchbay {
  return new Patchbay({
    baseUrl: location.origin,
    token: async () => {
      try {
        return (await buyToken(applicationId)).token;
      } catch (error) {
        if (hasNoSession(error)) onSessionEnd();
        throw error;
      }
    },
  });
}

/** One for each client: nothing that was read for one application is shown for another. */
function newQueries(_service: Patchbay): QueryClient {
  // The client repeats by itself what may be repeated.
  return new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: FRESH_MS }, mutations: { retry: false } },
  });
}
