import { ChatApi } from './zendesk-chat/chat-api.ts';
import { FileAddresses, FileHost } from './zendesk-support/file-upstreams.ts';
import { SupportApi } from './zendesk-support/support-api.ts';
import { SupportWorld } from './zendesk-support/world.ts';

/** How the simulated Zendesk account is set up. */
export interface ZendeskOptions {
  readonly seed: number;
  readonly scale: number;
  /** Milliseconds since 1970. */
  readonly dataEndsAt: number;
  readonly limits: 'off' | 'vendor';
  readonly clock: () => number;
  /** The origin of the sandbox. */
  readonly origin: string;
  /** The origin of the file host. */
  readonly fileHostUrl: string;
}

/** The path that stands for `https://{subdomain}.zendesk.com`. */
const SITE_PATH = '/zendesk';

/** The upstreams of one Zendesk account: those under its own host, and its file host. */
export function zendeskUpstreams({ origin, fileHostUrl, ...options }: ZendeskOptions) {
  const siteUrl = `${origin}${SITE_PATH}`;
  const world = new SupportWorld({ ...options, siteUrl });
  const apiPath = `${SITE_PATH}/api/v2`;
  const chatPath = `${apiPath}/chat`;
  return {
    support: new SupportApi({ ...options, basePath: apiPath, world }),
    chat: new ChatApi({ ...options, basePath: chatPath, url: `${origin}${chatPath}` }),
    fileAddresses: new FileAddresses(SITE_PATH, world, fileHostUrl),
    fileHost: new FileHost(world),
  };
}
