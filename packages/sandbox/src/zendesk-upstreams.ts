import type { OAuthSettings } from './oauth/authorization-server.ts';
import { ChatApi } from './zendesk-chat/chat-api.ts';
import { chatOAuth, chatServer } from './zendesk-chat/oauth-app.ts';
import { chatTokens } from './zendesk-chat/oauth-tokens.ts';
import { ChatWorld } from './zendesk-chat/world.ts';
import { FileAddresses, FileHost } from './zendesk-support/file-upstreams.ts';
import { supportOAuth, supportServer } from './zendesk-support/oauth-app.ts';
import { supportTokens } from './zendesk-support/oauth-tokens.ts';
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
  readonly oauth: OAuthSettings;
  /** The origin of the sandbox. */
  readonly origin: string;
  /** The origin of the file host. */
  readonly fileHostUrl: string;
}

/** The path that stands for `https://{subdomain}.zendesk.com`. */
const SITE_PATH = '/zendesk';
const API_PATH = `${SITE_PATH}/api/v2`;
const CHAT_PATH = `${API_PATH}/chat`;

/** The upstreams of one Zendesk account: those under its own host, and its file host. */
export function zendeskUpstreams({ origin, fileHostUrl, ...options }: ZendeskOptions) {
  const siteUrl = `${origin}${SITE_PATH}`;
  const world = new SupportWorld({ ...options, siteUrl });
  return {
    support: supportUpstreams(world, options),
    chat: chatUpstreams(origin, options),
    fileAddresses: new FileAddresses(SITE_PATH, world, fileHostUrl),
    fileHost: new FileHost(world),
  };
}

type ProductOptions = Omit<ZendeskOptions, 'origin' | 'fileHostUrl'>;

function supportUpstreams(world: SupportWorld, options: ProductOptions) {
  const server = supportServer(world, options.oauth);
  return {
    api: new SupportApi({ ...options, basePath: API_PATH, world, server }),
    oauth: supportOAuth(SITE_PATH, server),
    tokens: supportTokens(API_PATH, server),
    mounted: {
      server,
      authorizeUrl: `${world.siteUrl}/oauth/authorizations/new`,
      tokenUrl: `${world.siteUrl}/oauth/tokens`,
      usualParams: { scope: 'read write' },
    },
  };
}

function chatUpstreams(origin: string, options: ProductOptions) {
  const world = new ChatWorld(options);
  const server = chatServer(world, options.oauth);
  const url = `${origin}${CHAT_PATH}`;
  const oauthUrl = `${origin}${SITE_PATH}/oauth2/chat`;
  return {
    api: new ChatApi({ ...options, basePath: CHAT_PATH, url, world, server }),
    oauth: chatOAuth(SITE_PATH, server),
    tokens: chatTokens(CHAT_PATH, server),
    mounted: {
      server,
      authorizeUrl: `${oauthUrl}/authorizations/new`,
      tokenUrl: `${oauthUrl}/token`,
      usualParams: { scope: 'read write chat' },
    },
  };
}
