import { Patchbay } from '@patchbay/client';
import { requireApplication, type FoundSettings } from '../profile/service-settings.ts';
import { logIn } from './application-service.ts';
import { timeoutOf, warnOfSecret, type ConnectPlace, type ServiceFlags } from './connect.ts';

/**
 * The service on behalf of no external user: the application's own token reaches the connectors of
 * all. It is got once, and is good for 15 minutes.
 *
 * @throws CommandError where nothing says which application; what the service says to its login.
 */
export async function connectAsApplication(
  settings: FoundSettings,
  {
    flags,
    environment,
    terminal,
    signal,
  }: ConnectPlace & {
    readonly flags: ServiceFlags;
    readonly signal: AbortSignal;
  },
): Promise<Patchbay> {
  const { baseUrl } = settings.address;
  const application = requireApplication(settings, environment);
  warnOfSecret(baseUrl, flags, terminal);
  const { access_token: token } = await logIn(application, {
    baseUrl,
    signal,
    ...timeoutOf(flags),
  });
  return new Patchbay({ baseUrl, token: async () => token, ...timeoutOf(flags) });
}
