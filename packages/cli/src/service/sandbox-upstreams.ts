import type { Sandbox } from '@patchbay/sandbox';
import type { ConsentApp, UpstreamSetting } from '@patchbay/server';

/** Settings of upstreams, by the name of the kind. */
type Upstreams = Readonly<Record<string, UpstreamSetting>>;

/** Which kinds a sandbox stands in for, and where. */
export function sandboxUpstreams({ urls }: Sandbox): Upstreams {
  const common = { label: 'sandbox', limits: 'reactive' } as const;
  return {
    'chat-workspace': { ...common, baseUrl: urls.slack },
    'support-chat': { ...common, baseUrl: urls.zendeskChat },
    'customer-messaging': { ...common, baseUrl: urls.intercom },
    'support-ticketing': {
      ...common,
      baseUrl: urls.zendeskSupport,
      fileOrigins: [urls.zendeskFiles],
    },
  };
}

/** The apps that are registered with its vendors, by the name of the kind. */
export function sandboxApps({ oauth: { servers } }: Sandbox): Readonly<Record<string, ConsentApp>> {
  const vendors = {
    'chat-workspace': servers.slack,
    'support-chat': servers.zendeskChat,
    'customer-messaging': servers.intercom,
    'support-ticketing': servers.zendeskSupport,
  };
  return Object.fromEntries(
    Object.entries(vendors).flatMap(([kind, { clients }]) => {
      const app = clients.find(({ clientSecret }) => clientSecret !== null);
      if (app === undefined || app.clientSecret === null) return [];
      return [[kind, { clientId: app.clientId, clientSecret: app.clientSecret }] as const];
    }),
  );
}

/** The environment variables that lead a service to these upstreams, by name. */
export function upstreamVariables(upstreams: Upstreams): Readonly<Record<string, string>> {
  const variables = Object.entries(upstreams).flatMap(
    ([kind, { baseUrl, label, limits, fileOrigins }]) => {
      const suffix = kind.toUpperCase().replaceAll('-', '_');
      return [
        [`PATCHBAY_UPSTREAM_URL_${suffix}`, baseUrl],
        [`PATCHBAY_UPSTREAM_LABEL_${suffix}`, label],
        [`PATCHBAY_UPSTREAM_LIMITS_${suffix}`, limits],
        [`PATCHBAY_UPSTREAM_FILE_ORIGINS_${suffix}`, fileOrigins?.join(',')],
      ] as const;
    },
  );
  return Object.fromEntries(
    variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
