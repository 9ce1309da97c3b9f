import type { Applications } from '../access/applications.ts';
import { createFirstApplication, type KeepCredentials } from '../access/create-application.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Basis } from './basis.ts';
import type { FirstApplication, ScopedTokenRequest } from './contract.ts';

const NAME = 'Default application';
const REVOKED =
  'The application of PATCHBAY_CLIENT_ID is revoked, and stays so: nobody gets in with these credentials. Another client id makes another application.';

interface FirstApplicationRequest {
  readonly given: { readonly clientId: string; readonly clientSecret: string } | undefined;
  readonly keep: KeepCredentials | undefined;
}

/** See `Service.ensureFirstApplication`. */
export async function ensureFirstApplication(
  basis: Pick<Basis, 'store' | 'clock' | 'logger'>,
  applications: Applications,
  { given, keep }: FirstApplicationRequest,
): Promise<FirstApplication> {
  const { store, clock, logger } = basis;
  if (given !== undefined) {
    const { id, organizationId, clientId, revokedAt } = await applications.ensure(NAME, given);
    const first = { applicationId: id, organizationId, clientId };
    if (revokedAt === null) return first;
    logger.warn({ client_id: clientId }, REVOKED);
    return { ...first, isRevoked: true };
  }
  const [oldest] = await applications.list();
  if (oldest === undefined) {
    const made = await createFirstApplication(store, NAME, { clock, keep });
    // Another process may have made one meanwhile.
    return made ?? ensureFirstApplication(basis, applications, { given, keep });
  }
  const { id, organizationId, clientId } = oldest;
  return { applicationId: id, organizationId, clientId };
}

/** See `Service.mintScopedToken`. */
export async function mintScopedToken(
  applications: Applications,
  tokens: Tokens,
  { applicationId, externalUserId, access = 'write' }: ScopedTokenRequest,
): Promise<string> {
  const all = await applications.list();
  const application =
    applicationId === undefined ? all[0] : all.find(({ id }) => id === applicationId);
  if (application === undefined) throw new Error('there is no such application');
  return tokens.issueScopedToken({
    applicationId: application.id,
    organizationId: application.organizationId,
    externalUserId,
    access,
    connectorIds: undefined,
  });
}
