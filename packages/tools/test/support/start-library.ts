import { createConnector } from '@patchbay/connectors';
import { startSandbox, type Sandbox } from '@patchbay/sandbox';
import { libraryHost, type ToolHost } from '@patchbay/tools';

/** Connectors of every kind in this process, with the sandbox as their upstream. */
export interface Library extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly connectors: ReturnType<typeof makeConnectors>;
  /** A host of all four, by the names of the products. */
  readonly host: ToolHost;
}

export async function startLibrary(): Promise<Library> {
  const sandbox = await startSandbox();
  const connectors = makeConnectors(sandbox);
  const { slack, intercom, chat, support } = connectors;
  return {
    sandbox,
    connectors,
    host: libraryHost({ slack, intercom, 'zendesk-chat': chat, zendesk: support }),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

function makeConnectors({ urls }: Sandbox) {
  const upstreamLimits = 'reactive' as const;
  return {
    slack: createConnector('chat-workspace', {
      credentials: { api_token: 'xoxb-test' },
      baseUrl: urls.slack,
      upstreamLimits,
    }),
    intercom: createConnector('customer-messaging', {
      credentials: { access_token: 'test' },
      baseUrl: urls.intercom,
      upstreamLimits,
    }),
    chat: createConnector('support-chat', {
      credentials: { access_token: 'test' },
      baseUrl: urls.zendeskChat,
      upstreamLimits,
    }),
    support: createConnector('support-ticketing', {
      credentials: { email: 'agent@example.com', api_token: 'test' },
      baseUrl: urls.zendeskSupport,
      fileOrigins: [new URL(urls.zendeskFiles).origin],
      upstreamLimits,
    }),
  };
}
