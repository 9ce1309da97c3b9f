import { Type } from 'typebox';
import { ConnectorError, type Clock } from '@patchbay/connectors';
import type { Job } from '@patchbay/connectors/wire';
import type { Store } from '@patchbay/store';
import type { Access } from '../access/access.ts';
import { newUuid } from '../uuid.ts';
import { deleteConnectorsOf, type ConnectorDeletionParts } from './delete-connectors.ts';
import { checkDeletion, type DeletionInput } from './deletion-input.ts';
import { checkBody, externalUserFaults, FaultList } from './input.ts';

type Json = Readonly<Record<string, unknown>>;

export interface DeletionsParts extends ConnectorDeletionParts {
  readonly store: Pick<Store, 'connectors' | 'connectSessions' | 'deletions'>;
  readonly clock: Clock;
}

/** Deletes what an external user has, and tells what became of deletions. */
export class Deletions {
  readonly #parts: DeletionsParts;

  constructor(parts: DeletionsParts) {
    this.#parts = parts;
  }

  /**
   * Deletes every connector of an external user with its credentials, as calls that delete them one by one would, and
   * returns the id of the one job that clears their copies. Before that, what would become another one of theirs:
   * connect sessions, and consents that are under way. What a crash leaves undone, the same call does.
   *
   * @throws `external_user_not_found` where there is no connector of theirs.
   */
  async deleteUser(
    access: Access,
    externalUserId: string,
    request: { readonly query: Json; readonly body: Json | undefined },
  ): Promise<string> {
    const { store, clock } = this.#parts;
    const { applicationId, ...options } = checkUserDeletion(access, externalUserId, request);
    const jobId = newUuid(clock.now());
    const filter = { applicationId, externalUserId };
    await store.connectSessions.deleteOf(filter);
    const deleted = await deleteConnectorsOf(this.#parts, filter, { ...options, jobId });
    if (deleted > 0) return jobId;
    const message = 'There is no connector of that external user.';
    throw new ConnectorError('external_user_not_found', {}, { message });
  }

  /**
   * What became of a deletion.
   *
   * @throws `job_not_found`, also for those of other applications.
   */
  async job(access: Access, id: string): Promise<Job> {
    const found = await this.#parts.store.deletions.find(id);
    const isWithinReach =
      access.type === 'operator' || found?.applicationId === access.applicationId;
    if (found === undefined || !isWithinReach)
      throw new ConnectorError(
        'job_not_found',
        {},
        { message: `There is no job ${id.slice(0, 80)}.` },
      );
    const { connectors, connectorsLeft } = found;
    return {
      id: id.toLowerCase(),
      status: connectorsLeft > 0 ? 'running' : 'succeeded',
      connectors,
      connectors_left: connectorsLeft,
    };
  }
}

const APPLICATION_ID = {
  schema: Type.String(),
  expects: 'the id of the application whose user it is',
} as const;

/**
 * The operator says whose user it is, also of an application that is revoked: in the place of that one nobody acts.
 *
 * @throws `invalid_request` with every fault.
 */
function checkUserDeletion(
  access: Access,
  externalUserId: string,
  { query, body }: { readonly query: Json; readonly body: Json | undefined },
): DeletionInput & { readonly applicationId: string } {
  const faults = new FaultList();
  faults.add(...externalUserFaults(externalUserId));
  const { application_id: given, ...rest } = query;
  const options = faults.collect(() => checkDeletion(rest, body));
  const members = { application_id: { ...APPLICATION_ID, isRequired: access.type === 'operator' } };
  const { application_id: asked } = checkBody(members, { application_id: given }, faults);
  faults.throwAny();
  const applicationId = typeof asked === 'string' ? asked.toLowerCase() : undefined;
  // Nothing is wrong, or `throwAny` had thrown.
  const { leavesCredentials } = options as DeletionInput;
  if (access.type === 'operator') return { leavesCredentials, applicationId: applicationId ?? '' };
  if (applicationId !== undefined && applicationId !== access.applicationId)
    throw new ConnectorError('application_not_found', {});
  return { leavesCredentials, applicationId: access.applicationId };
}
