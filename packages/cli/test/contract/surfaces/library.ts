import { createConnector, type Download } from '@patchbay/connectors';
import type { Call } from '../call.ts';
import { fileValue, outcomeOf, pageValue } from '../outcome.ts';
import { tokenOf } from '../world/tokens.ts';
import { IMPATIENT_CLOCK, type World } from '../world/world.ts';
import type { Surface } from './surface.ts';

/** Called by name, as from JavaScript, which lets through what is wrong. */
interface Untyped {
  execute(entity: string, action: string, params?: unknown): Promise<unknown>;
}

/** The library, in this process, without any service. */
export function librarySurface(world: World): Surface {
  const connectorFor = connectorsIn(world);
  return {
    name: 'library',
    run: (call) =>
      outcomeOf(async () => {
        const { entity, action, params } = call;
        const result = await connectorFor(call).execute(entity, action, params);
        // What an action brings is told by its name.
        if (action === 'download') return fileValue(result as Download);
        return action === 'list' ? pageValue(result) : result;
      }),
  };
}

function connectorsIn({ upstreams }: World): (call: Call) => Untyped {
  const at = (kind: Call['kind']) => {
    const { baseUrl, limits: upstreamLimits, fileOrigins = [] } = upstreams[kind];
    return { baseUrl, upstreamLimits, fileOrigins, clock: IMPATIENT_CLOCK };
  };
  const slackWith = (apiToken: string) =>
    createConnector('chat-workspace', {
      credentials: { api_token: apiToken },
      ...at('chat-workspace'),
    });
  const access = { access_token: 'test' };
  const rejected = slackWith(tokenOf('library', true));
  const connectors = {
    'chat-workspace': slackWith(tokenOf('library')),
    'customer-messaging': createConnector('customer-messaging', {
      credentials: access,
      ...at('customer-messaging'),
    }),
    'support-chat': createConnector('support-chat', { credentials: access, ...at('support-chat') }),
    'support-ticketing': createConnector('support-ticketing', {
      credentials: { email: 'agent@example.com', api_token: 'test' },
      ...at('support-ticketing'),
    }),
  };
  return ({ kind, target }) => (target === 'rejected' ? rejected : connectors[kind]);
}
