import type { ApplicationPage, ListedApplication, Patchbay } from '@patchbay/client';

export type { ListedApplication };

/** What the list of all applications is kept under. */
export const APPLICATIONS_KEY = ['applications'] as const;

/** All applications of the service, oldest first; for the operator alone. */
export async function listApplications(
  service: Patchbay,
  signal: AbortSignal,
): Promise<readonly ListedApplication[]> {
  const found: ListedApplication[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    // docs/wire.md#applications
    const page = (await service.request('GET', `/v1/applications${query}`, {
      signal,
    })) as ApplicationPage;
    found.push(...page.data);
    cursor = page.next;
  }
  return found;
}
