import type { KindName } from '@patchbay/connectors/definitions';
import { looksReal, type OAuthVendor, type Sandbox } from '@patchbay/sandbox';
import type { ConsentApp, TrialSettings, UpstreamSetting } from '@patchbay/server';

/** Settings of upstreams, by the name of the kind: one without would be called itself. */
type Upstreams = Readonly<Record<KindName, UpstreamSetting>>;

/** Which kinds a sandbox stands in for, and where. */
export function sandboxUpstreams({ urls }: Sandbox): Upstreams {
  const standIn = (vendor: OAuthVendor) =>
    ({
      label: 'sandbox',
      limits: 'reactive',
      baseUrl: urls[vendor],
      refuses: (values) => {
        const isReal = SENT.some((field) => looksReal(vendor, values[field] ?? ''));
        return isReal ? NOT_FOR_THE_SANDBOX : undefined;
      },
    }) as const satisfies UpstreamSetting;
  return {
    'chat-workspace': { ...standIn('slack'), trial: SLACK_TRIAL },
    'support-chat': standIn('zendeskChat'),
    'customer-messaging': standIn('intercom'),
    'support-ticketing': { ...standIn('zendeskSupport'), fileOrigins: [urls.zendeskFiles] },
  };
}

/** What a newcomer makes a connector of, by one click in the console. */
const SLACK_TRIAL: TrialSettings = {
  externalUserId: 'demo-user',
  name: 'Sandbox Slack',
  credentials: { api_token: 'demo' },
  replicationConfig: {
    start_date: '2025-12-01T00:00:00Z',
    lookback_window: 0,
    join_channels: false,
  },
};

/** The fields of credentials, of any kind, that go out with a call: what the sandbox judges. */
const SENT = ['api_token', 'access_token'];

const NOT_FOR_THE_SANDBOX =
  'These credentials look real, and calls go to the sandbox, which takes no real ones: nothing is sent. Made-up ones will do for the sandbox, such as "demo". For the real upstream, start the service without the sandbox: --no-sandbox, or PATCHBAY_SANDBOX=off.';

/** The apps that are registered with its vendors, by the name of the kind. */
export function sandboxApps({ oauth: { servers } }: Sandbox): Readonly<Record<string, ConsentApp>> {
  const vendors = {
    'chat-workspace': servers.slack,
    'support-chat': servers.zendeskChat,
    'customer-messaging': servers.intercom,
    'support-ticketing': servers.zendeskSupport,
  } as const satisfies Readonly<Record<KindName, object>>;
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
