import type {
  ApplicationInfo,
  NewApplication,
  NewApplicationSecret,
  Patchbay,
} from '@patchbay/client';
import { newIdempotencyKey } from '@patchbay/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { APPLICATIONS_KEY, listApplications } from '../../service/applications.ts';
import { useService } from '../../service/service.tsx';

/** What can be changed of an application; a rate limit by the operator alone. */
export interface ApplicationChange {
  readonly name?: string;
  readonly allowed_origins?: readonly string[];
  readonly allowed_return_urls?: readonly string[];
  /** Calls a minute; 0 for the limit of the service. */
  readonly rate_limit?: number;
}

/** All applications, as the operator sees them; how the shell knows which there are follows. */
export function useApplications() {
  const service = useService();
  return useQuery({
    queryKey: APPLICATIONS_KEY,
    queryFn: ({ signal }) => listApplications(service, signal),
  });
}

/** One application, with what its secrets are known by. */
export function useApplication(id: string) {
  const service = useService();
  return useQuery({
    queryKey: applicationKey(id),
    queryFn: async ({ signal }) =>
      (await service.request('GET', itemPath(id), { signal })) as ApplicationInfo,
  });
}

/** Changes an application; what is shown of it follows. */
export function useApplicationChange(id: string) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: ApplicationChange) =>
      (await service.request('PATCH', itemPath(id), { body: change })) as ApplicationInfo,
    onSuccess: (application) => {
      queries.setQueryData(applicationKey(id), application);
      // Whoever made the change waits for no list.
      void queries.invalidateQueries({ queryKey: APPLICATIONS_KEY });
    },
  });
}

/** Deletes an application, for good. */
export function useApplicationDeletion(id: string, onDeleted: () => void) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => service.request('DELETE', itemPath(id)),
    onSuccess: () => {
      onDeleted();
      queries.removeQueries({ queryKey: applicationKey(id) });
      return queries.invalidateQueries({ queryKey: APPLICATIONS_KEY });
    },
  });
}

/** Deletes a client secret. */
export function useSecretDeletion(id: string) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (secretId: string) =>
      service.request('DELETE', `${itemPath(id)}/secrets/${encodeURIComponent(secretId)}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: applicationKey(id) }),
  });
}

/** What has been read of an application is out of date. */
export function useApplicationRefresh(id: string): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: applicationKey(id) });
}

/** Makes an application; its client secret is told this once, so it is kept nowhere else. */
export async function makeApplication(service: Patchbay, name: string): Promise<NewApplication> {
  return (await service.request('POST', '/v1/applications', {
    body: { name },
    idempotencyKey: newIdempotencyKey(),
  })) as NewApplication;
}

/** Makes another client secret; it is told this once. */
export async function makeSecret(service: Patchbay, id: string): Promise<NewApplicationSecret> {
  return (await service.request('POST', `${itemPath(id)}/secrets`, {
    idempotencyKey: newIdempotencyKey(),
  })) as NewApplicationSecret;
}

function itemPath(id: string): string {
  return `/v1/applications/${encodeURIComponent(id)}`;
}

function applicationKey(id: string): readonly string[] {
  return ['application', id];
}
