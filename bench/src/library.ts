import { WebClient } from '@slack/web-api';
import { createConnector } from '@patchbay/connectors';
import { request } from 'undici';
import { startServerProcess } from './support/child.ts';
import { compared, medianMilliseconds, rounded, type BenchResult } from './support/measure.ts';

const PAGE = 1000;
const TOKEN = 'bench';

/**
 * A page of 1,000 users through the library, against the least that any client must do (fetch and
 * parse) and against Slack's own client.
 */
export async function benchLibrary(): Promise<readonly BenchResult[]> {
  await using sandbox = await startServerProcess('sandbox-process.ts');
  const baseUrl = sandbox.ready['slack'] ?? '';
  const slack = createConnector('chat-workspace', {
    credentials: { api_token: TOKEN },
    baseUrl,
    upstreamLimits: 'reactive',
  });
  const official = new WebClient(TOKEN, { slackApiUrl: `${baseUrl}/` });
  const times = await medianMilliseconds(
    [
      { name: 'undici + JSON.parse', run: () => bareUsers(baseUrl) },
      { name: 'patchbay users.list', run: () => slack.users.list({ limit: PAGE }) },
      { name: '@slack/web-api users.list', run: () => official.users.list({ limit: PAGE }) },
    ],
    { warmup: 30, timed: 150 },
  );
  const limit = 'undici + JSON.parse';
  return [
    { name: limit, value: rounded(times.get(limit) ?? Number.NaN), unit: 'ms/page of 1000 users' },
    compared('patchbay users.list', 'ms/page of 1000 users', times, limit),
    compared('@slack/web-api users.list', 'ms/page of 1000 users', times, limit),
  ];
}

async function bareUsers(baseUrl: string): Promise<unknown> {
  const response = await request(`${baseUrl}/users.list?limit=${PAGE}`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return JSON.parse(await response.body.text()) as unknown;
}
