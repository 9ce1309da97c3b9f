import {
  Application,
  ApplicationToken,
  ScopedToken,
  ScopedTokenInfo,
} from '@patchbay/connectors/wire';
import type { FoundApplication } from '../profile/service-settings.ts';
import { askService, type ServicePlace } from './service-request.ts';

/** A service, called as one of its applications. */
type ApplicationPlace = Pick<ServicePlace, 'baseUrl' | 'signal' | 'timeoutMs'>;

const TOKENS = '/api/v1/account/applications';

/**
 * The application's own token, which reaches all of its external users.
 *
 * @throws what the service says, such as `unauthenticated`; `not_ready` where nothing answers.
 * @see docs/wire.md#application-token
 */
export function logIn(
  { clientId, clientSecret }: Pick<FoundApplication, 'clientId' | 'clientSecret'>,
  place: ApplicationPlace,
): Promise<ApplicationToken> {
  const body = { client_id: clientId, client_secret: clientSecret };
  return askService(
    ApplicationToken,
    { method: 'POST', path: `${TOKENS}/token`, body },
    { ...place, secret: clientSecret },
  );
}

/** All that the service tells an application of itself; no secret. */
export function readApplication(
  id: string,
  bearer: string,
  place: ApplicationPlace,
): Promise<Application> {
  return askService(Application, { method: 'GET', path: `/v1/applications/${id}`, bearer }, place);
}

/** What a scoped token for the external user allows, in the service's own words. */
export async function readReach(
  externalUserId: string,
  bearer: string,
  place: ApplicationPlace,
): Promise<ScopedTokenInfo> {
  const body = { external_user_id: externalUserId };
  const { token } = await askService(
    ScopedToken,
    { method: 'POST', path: `${TOKENS}/scoped-token`, body, bearer },
    place,
  );
  const path = `${TOKENS}/scoped-token/info`;
  return await askService(ScopedTokenInfo, { method: 'GET', path, bearer: token }, place);
}
