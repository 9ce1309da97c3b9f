import { setTimeout as wait } from 'node:timers/promises';
import type { ServiceCalls } from './service-calls.ts';

/** A connector whose entities have been read to the end. */
interface Replicated {
  readonly connectorId: string;
  /** From its creation until the last entity was complete. */
  readonly seconds: number;
  readonly records: ReadonlyMap<string, number>;
}

interface Inspection {
  readonly context_store_readiness: {
    readonly configured_cache_entities: readonly {
      readonly entity: string;
      readonly status: string;
      readonly entity_count: number;
    }[];
  };
}

const CONNECTORS = '/v1/integrations/connectors';

/** Creates a connector of an Intercom account and waits until its copy is complete. */
export function replicate(service: ServiceCalls, accessToken: string): Promise<Replicated> {
  return replicateKind(service, {
    connector_type: 'customer-messaging',
    credentials: { access_token: accessToken },
  });
}

/** The same for a connector of any kind. */
export async function replicateKind(
  service: ServiceCalls,
  connector: Readonly<Record<string, unknown>>,
): Promise<Replicated> {
  const startedAt = performance.now();
  const connectorId = await createConnector(service, connector);
  for (;;) {
    const entities = await inspect(service, connectorId);
    const contacts = entities.find(({ entity }) => entity === 'contacts');
    if (contacts?.status === 'failed') throw new Error('the contacts could not be replicated');
    if (entities.every(({ status }) => status === 'ready' || status === 'failed')) {
      const seconds = (performance.now() - startedAt) / 1000;
      const records = new Map(entities.map(({ entity, entity_count }) => [entity, entity_count]));
      return { connectorId, seconds, records };
    }
    await wait(100);
  }
}

/** Stops further syncs of the connector, which would disturb what is measured. */
export async function pause(service: ServiceCalls, connectorId: string): Promise<void> {
  await service.call('PATCH', `${CONNECTORS}/${connectorId}`, { paused: true });
}

async function createConnector(
  service: ServiceCalls,
  connector: Readonly<Record<string, unknown>>,
): Promise<string> {
  const body = { external_user_id: 'bench', name: 'Bench', ...connector };
  // The service answers 201 with the connector.
  return ((await service.call('POST', CONNECTORS, body)) as { id: string }).id;
}

async function inspect(service: ServiceCalls, connectorId: string) {
  const answer = await service.call('GET', `${CONNECTORS}/${connectorId}/inspect`);
  // As docs/wire.md#inspect has it.
  return (answer as Inspection).context_store_readiness.configured_cache_entities;
}
