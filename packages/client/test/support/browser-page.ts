/** What runs in the page of `browser.test.ts`: it calls a service, and reports what it saw. */
import { isConnectorError, Patchbay } from '@patchbay/client';

/** What the page saw. */
export interface Report {
  readonly externalUserId?: string;
  readonly users?: readonly string[];
  readonly runState?: string | undefined;
  readonly hits?: readonly (string | null | undefined)[];
  readonly channel?: string | null;
  readonly refusal?: string;
  /** Set where anything went wrong. */
  readonly problem?: string;
}

const { origin } = new URL(import.meta.url);

async function run(): Promise<Report> {
  const patchbay = new Patchbay({ baseUrl: origin, token: getToken });
  const connector = await patchbay.connectors.create({
    connector_type: 'slack',
    name: 'From a page',
    credentials: { api_token: 'xoxb-test' },
    replication_config: {
      start_date: '2026-01-01T00:00:00Z',
      lookback_window: 7,
      join_channels: false,
    },
  });
  const slack = await patchbay.connector(connector.id, { kind: 'slack' });
  let runState: string | undefined;
  for await (const { last } of slack.sync.watch()) runState = last?.state;
  const page = await slack.users.list({ limit: 3 });
  const query = { filter: { fuzzy: { real_name: 'undrebough' } } };
  const { hits } = await slack.users.search({ query, limit: 2 });
  const channel = await slack.channels.create({ name: 'made-in-a-page' });
  return {
    externalUserId: connector.external_user_id,
    users: page.data.map(({ id }) => id),
    runState,
    hits: hits.map(({ data }) => data.real_name),
    channel: channel.name,
    refusal: refusalOfSecret(),
  };
}

async function getToken(): Promise<string> {
  const response = await fetch(`${origin}/token`, { method: 'POST' });
  return response.text();
}

function refusalOfSecret(): string {
  try {
    const secret = { clientId: 'an-id', clientSecret: 'a-secret-in-a-page' };
    void new Patchbay({ baseUrl: origin, ...secret, externalUserId: 'anyone' });
    return 'none';
  } catch (error) {
    return isConnectorError(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

async function tell(report: Report): Promise<void> {
  await fetch(`${origin}/report`, { method: 'POST', body: JSON.stringify(report) });
}

await run().then(tell, (error: unknown) =>
  tell({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);
