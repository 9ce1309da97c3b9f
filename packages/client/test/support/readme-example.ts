/* oxlint-disable no-console -- it is an example of a program */
import { Patchbay } from '@patchbay/client';

// From PATCHBAY_BASE_URL, PATCHBAY_CLIENT_ID, PATCHBAY_CLIENT_SECRET, PATCHBAY_EXTERNAL_USER_ID
const patchbay = new Patchbay();

const { id } = await patchbay.connectors.create({
  connector_type: 'slack',
  name: 'Team chat',
  credentials: { api_token: 'demo' }, // a bot token; the sandbox takes anything
  replication_config: {
    start_date: '2026-01-01T00:00:00Z',
    lookback_window: 7,
    join_channels: false,
  },
});
const slack = await patchbay.connector(id, { kind: 'slack' });

for await (const user of slack.users.list.all()) console.log(user.id, user.name);

for await (const { entities } of slack.sync.watch()) console.log(entities); // the first copy
const query = { filter: { fuzzy: { real_name: 'undrebough' } } };
const { hits } = await slack.users.search({ query, limit: 1 });
console.log(hits[0]?.data.real_name);

const [channel] = (await slack.channels.list({ limit: 1 })).data;
if (channel) await slack.messages.create({ channel: channel.id, text: 'Hello' }); // once
