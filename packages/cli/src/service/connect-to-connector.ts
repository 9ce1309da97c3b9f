import { Patchbay, type ConnectorInfo } from '@patchbay/client';
import { findSettings, resolveSettings, type FoundUser } from '../profile/service-settings.ts';
import { chooseConnector, type ConnectorFlags } from './choose-connector.ts';
import { connectAsApplication } from './connect-as-application.ts';
import { connect, timeoutOf, type ConnectPlace, type ServiceFlags } from './connect.ts';

/** Which connector, and as whom the service is called. */
interface ConnectionRequest extends ConnectPlace {
  readonly flags: ServiceFlags & ConnectorFlags;
  readonly signal: AbortSignal;
  /** What the token may do; `write` unless said. */
  readonly access?: 'read' | 'write';
}

/** A connector, and the service on behalf of its external user. */
export interface Connection {
  readonly patchbay: Patchbay;
  readonly info: ConnectorInfo;
}

/**
 * The connector that flags and settings lead to. Where they say no external user, and where an id
 * says more than a profile, it is one of all connectors of the application, and its own external user
 * is the one.
 *
 * @throws CommandError that says what is missing; what the service says; as `chooseConnector`.
 */
export async function connectToConnector(request: ConnectionRequest): Promise<Connection> {
  const { flags, environment, signal, access = 'write' } = request;
  const settings = findSettings(flags, environment);
  if (!needsOwner(flags, settings.externalUser)) {
    const patchbay = connect(flags, request, access);
    return { patchbay, info: await chooseConnector(patchbay, flags, signal) };
  }
  const everybody = await connectAsApplication(settings, request);
  const info = await chooseConnector(everybody, flags, signal);
  // Whatever there is to warn of has been said.
  const owner = resolveSettings({ ...flags, externalUser: info.external_user_id }, environment);
  return { patchbay: new Patchbay({ ...owner, access, ...timeoutOf(flags) }), info };
}

/** An id names one connector alone: whom commands are usually for does not matter then. */
function needsOwner({ connector }: ConnectorFlags, user: FoundUser | undefined): boolean {
  if (user === undefined) return true;
  return connector !== undefined && (user.from === 'profile' || user.from === 'default');
}
