import type { Attacker } from './attacks.ts';
import { lightRequest, OPERATIONS, type LightTenant } from './light-load.ts';
import { pause, replicate, replicateKind } from '../support/replicated.ts';
import { serviceCalls } from '../support/service-calls.ts';

const LIGHT_TENANTS = 4;
const OTHER_ATTACKERS = 3;
const READ_TOKENS = 10;
const SLACK = {
  connector_type: 'chat-workspace',
  credentials: { api_token: 'small' },
  replication_config: {
    start_date: '2026-01-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};
const CONNECTORS = '/v1/integrations/connectors';

/** How many applications `makeTenants` needs. */
export const TENANTS = LIGHT_TENANTS + OTHER_ATTACKERS + 2;

/** Credentials of an application, as the service gave them. */
export type Application = Readonly<Record<'clientId' | 'clientSecret', string>>;

/** The tenants of a run. They outlive a service process that ends. */
export interface Tenants {
  readonly light: readonly LightTenant[];
  readonly attacker: Attacker;
  /** Does for one light tenant what it does, once; says whether all of that worked. */
  isServed(url: string): Promise<boolean>;
  /** Removes the connectors that attacks made. */
  removeAttacks(url: string): Promise<void>;
  /** Seconds that the first copy of a small account takes, for a tenant of whom nothing else is. */
  firstCopySeconds(url: string): Promise<number>;
}

/** Makes them, each with an application of its own, and waits for the copies that they search. */
export async function makeTenants(
  url: string,
  applications: readonly Application[],
): Promise<Tenants> {
  const [attacking, newcomer, ...rest] = applications;
  if (attacking === undefined || newcomer === undefined) throw new Error('too few applications');
  const others = rest.slice(0, OTHER_ATTACKERS);
  const light: LightTenant[] = [];
  for (const application of rest.slice(OTHER_ATTACKERS))
    light.push(await makeLightTenant(url, application));
  const attacker = await makeAttacker(url, attacking, others);
  return {
    light,
    attacker,
    isServed: async (at) => {
      const [first] = light;
      return first === undefined || isServed(at, first);
    },
    removeAttacks: async (at) => {
      for (const application of [attacking, ...others])
        await removeConnectors(at, application, attacker.large);
    },
    firstCopySeconds: async (at) => {
      await using service = serviceCalls({ url: at, ...newcomer }, 1);
      const { connectorId, seconds } = await replicate(service, 'small');
      await service.call('DELETE', `${CONNECTORS}/${connectorId}`);
      return seconds;
    },
  };
}

async function makeLightTenant(url: string, application: Application): Promise<LightTenant> {
  await using service = serviceCalls({ url, ...application }, 1);
  const { connectorId } = await replicateKind(service, SLACK);
  const listed = await service.call('POST', `/api/v1/connectors/sources/${connectorId}/execute`, {
    entity: 'channels',
    action: 'list',
    params: { limit: 1 },
  });
  // As docs/wire.md#results has it.
  const [channel] = (listed as { result: readonly { id: string }[] }).result;
  const token = await service.scopedToken('write');
  return { token, connectorId, channel: channel?.id ?? '' };
}

async function isServed(url: string, tenant: LightTenant): Promise<boolean> {
  for (const operation of OPERATIONS) {
    const { method, path, body } = lightRequest(operation, tenant, 0);
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    await answer.text();
    if (!answer.ok) return false;
  }
  return true;
}

async function makeAttacker(
  url: string,
  application: Application,
  others: readonly Application[],
): Promise<Attacker> {
  await using service = serviceCalls({ url, ...application }, 1);
  const { connectorId } = await replicate(service, 'large');
  await pause(service, connectorId);
  const tokenOf = async (other: Application) => {
    await using calls = serviceCalls({ url, ...other }, 1);
    return await calls.scopedToken('write');
  };
  const readTokens = Array.from({ length: READ_TOKENS }, () => service.scopedToken('read'));
  return {
    large: connectorId,
    readTokens: await Promise.all(readTokens),
    writeToken: await service.scopedToken('write'),
    others: await Promise.all(others.map(tokenOf)),
  };
}

async function removeConnectors(
  url: string,
  application: Application,
  butNot: string,
): Promise<void> {
  await using service = serviceCalls({ url, ...application }, 1);
  // As docs/wire.md#list-connectors has it.
  const { data } = (await service.call('GET', CONNECTORS)) as { data: readonly { id: string }[] };
  for (const { id } of data) if (id !== butNot) await service.call('DELETE', `${CONNECTORS}/${id}`);
}
