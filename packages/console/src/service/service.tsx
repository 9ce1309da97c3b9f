import { Patchbay } from '@patchbay/client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, use, useMemo } from 'react';
import type { ReactNode } from 'react';
import { buyToken, hasNoSession } from '../session/session-api.ts';

/** The service, and the way to leave it. */
interface OpenService {
  readonly client: Patchbay;
  readonly queries: QueryClient;
  /** Ends the token that is in use, which would outlive the session otherwise. */
  readonly close: () => Promise<void>;
}

const ServiceContext = createContext<OpenService | undefined>(undefined);

/** How long an answer is shown without being asked for again, where nothing has changed it. */
const FRESH_MS = 5_000;

interface Props {
  /** On whose behalf the service is called; `undefined` for whoever is signed in. */
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
  return (
    <ServiceContext value={service}>
      <QueryClientProvider client={service.queries}>{children}</QueryClientProvider>
    </ServiceContext>
  );
}

export function useService(): Patchbay {
  return useOpenService().client;
}

/** Ends what the console holds of the service, before the session ends. */
export function useServiceEnd(): () => Promise<void> {
  return useOpenService().close;
}

function useOpenService(): OpenService {
  const service = use(ServiceContext);
  if (service === undefined) throw new Error('There is no ServiceProvider around this component.');
  return service;
}

/** The token lives in memory only; once it is refused, the session buys another. */
function openService(applicationId: string | undefined, onSessionEnd: () => void): OpenService {
  let current: string | undefined;
  const client = new Patchbay({
    baseUrl: location.origin,
    token: async () => {
      try {
        return (current = (await buyToken(applicationId)).token);
      } catch (error) {
        if (hasNoSession(error)) onSessionEnd();
        throw error;
      }
    },
  });
  return {
    client,
    // The client repeats by itself what may be repeated.
    queries: new QueryClient({
      defaultOptions: {
        queries: { retry: false, staleTime: FRESH_MS },
        mutations: { retry: false },
      },
    }),
    close: async () => {
      const token = current;
      if (token === undefined) return;
      await client.request('POST', '/v1/tokens/revoke', { body: { token } });
      current = undefined;
    },
  };
}
