import { Patchbay, type Download } from '@patchbay/client';
import type { Call, Json } from '../call.ts';
import { fileValue, hitsValue, outcomeOf, pageValue } from '../outcome.ts';
import type { World } from '../world/world.ts';
import type { Surface } from './surface.ts';

/** The hosted client, which gets its tokens itself. */
export function clientSurface(world: World): Surface {
  const options = { baseUrl: world.service.url, ...world.user };
  const clients = {
    read: new Patchbay({ ...options, access: 'read' }),
    write: new Patchbay(options),
  };
  return {
    name: 'client',
    run: (call) =>
      outcomeOf(async () => {
        const patchbay = clients[call.access ?? 'write'];
        return valueOf(call, await send(patchbay, world.connectorId('client', call), call));
      }),
  };
}

async function send(patchbay: Patchbay, id: string, call: Call): Promise<unknown> {
  if (call.does === 'sync') return patchbay.connectors.sync(id);
  const { entity, action, params, selectFields, excludeFields, idempotencyKey } = call;
  const connector = await patchbay.connector(id);
  // Whatever is wrong with params is the service's to say.
  return connector.execute(entity, action, params as Json, {
    ...(selectFields === undefined ? {} : { selectFields }),
    ...(excludeFields === undefined ? {} : { excludeFields }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}

async function valueOf({ action }: Call, result: unknown): Promise<unknown> {
  // What an action brings is told by its name.
  if (action === 'download') return fileValue(result as Download);
  if (action === 'list') return pageValue(result);
  return action === 'search' ? hitsValue(result) : result;
}
