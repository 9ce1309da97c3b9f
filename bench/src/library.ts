import { WebClient } from '@slack/web-api';
import { createConnector } from '@patchbay/connectors';
import { IntercomClient } from 'intercom-client';
import zendeskClient from 'node-zendesk';
import { request } from 'undici';
import { startServerProcess } from './processes/child.ts';
import { compared, medianMilliseconds, rounded, type BenchResult } from './support/measure.ts';

const TOKEN = 'bench';
const ROUNDS = { warmup: 30, timed: 150 };

/** A page of a server, read by three clients. */
interface Page {
  readonly unit: string;
  readonly bare: () => Promise<unknown>;
  readonly ours: readonly [name: string, run: () => Promise<unknown>];
  readonly official: readonly [name: string, run: () => Promise<unknown>];
}

/**
 * A page of records through the library, against the least that any client must do (fetch and
 * parse) and against the vendor's own client, for three upstreams.
 */
export async function benchLibrary(): Promise<readonly BenchResult[]> {
  await using sandbox = await startServerProcess('sandbox-process.ts');
  const results: BenchResult[] = [];
  for (const page of pagesOf(sandbox.ready)) results.push(...(await benchPage(page)));
  return results;
}

function pagesOf(urls: Readonly<Record<string, string>>): readonly Page[] {
  const options = { upstreamLimits: 'reactive' } as const;
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const [slackUrl = '', intercomUrl = '', zendeskUrl = ''] = [
    urls['slack'],
    urls['intercom'],
    urls['zendeskSupport'],
  ];
  const slack = createConnector('chat-workspace', {
    credentials: { api_token: TOKEN },
    baseUrl: slackUrl,
    ...options,
  });
  const intercom = createConnector('customer-messaging', {
    credentials: { access_token: TOKEN },
    baseUrl: intercomUrl,
    ...options,
  });
  const zendesk = createConnector('support-ticketing', {
    credentials: { access_token: TOKEN },
    baseUrl: zendeskUrl,
    ...options,
  });
  const officialSlack = new WebClient(TOKEN, { slackApiUrl: `${slackUrl}/` });
  const officialIntercom = new IntercomClient({ token: TOKEN, baseUrl: intercomUrl });
  const officialZendesk = zendeskClient.createClient({
    username: 'agent@example.com',
    token: TOKEN,
    endpointUri: zendeskUrl,
  });
  return [
    {
      unit: 'ms/page of 1000 users',
      bare: () => bareGet(`${slackUrl}/users.list?limit=1000`, bearer),
      ours: ['patchbay users.list', () => slack.users.list({ limit: 1000 })],
      official: ['@slack/web-api users.list', () => officialSlack.users.list({ limit: 1000 })],
    },
    {
      unit: 'ms/page of 150 contacts',
      bare: () =>
        bareGet(`${intercomUrl}/contacts?per_page=150`, { ...bearer, 'intercom-version': '2.11' }),
      ours: ['patchbay contacts.list', () => intercom.contacts.list({ per_page: 150 })],
      official: [
        'intercom-client contacts.list',
        () => officialIntercom.contacts.list({ per_page: 150 }),
      ],
    },
    {
      // The official client knows whole lists only, so all three read 10 pages.
      unit: 'ms/1000 tickets, 100 a page',
      bare: () => bareTickets(`${zendeskUrl}/tickets.json?page[size]=100`, bearer),
      ours: ['patchbay tickets.list.all', () => drain(zendesk.tickets.list.all({ per_page: 100 }))],
      official: ['node-zendesk tickets.list', () => officialZendesk.tickets.list()],
    },
  ];
}

async function benchPage({ unit, bare, ours, official }: Page): Promise<BenchResult[]> {
  const limit = `undici + JSON.parse (${ours[0].split(' ')[1] ?? ''})`;
  const times = await medianMilliseconds(
    [
      { name: limit, run: bare },
      { name: ours[0], run: ours[1] },
      { name: official[0], run: official[1] },
    ],
    ROUNDS,
  );
  return [
    { name: limit, value: rounded(times.get(limit) ?? Number.NaN), unit },
    compared(times, { name: ours[0], unit, of: limit }),
    compared(times, { name: official[0], unit, of: limit }),
  ];
}

async function bareGet(url: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await request(url, { headers });
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode} of ${url}`);
  return JSON.parse(await response.body.text()) as unknown;
}

/** Follows the links of cursor paging, and nothing else. */
async function bareTickets(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  for (let next: string | null = url; next !== null;) {
    // The sandbox answers tickets as Zendesk does.
    const page = (await bareGet(next, headers)) as {
      readonly meta: { readonly has_more: boolean };
      readonly links: { readonly next: string };
    };
    next = page.meta.has_more ? page.links.next : null;
  }
  return undefined;
}

async function drain(records: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const record of records) if (record !== null) count++;
  return count;
}
