import { Patchbay } from '@patchbay/client';

const patchbay = new Patchbay({
  baseUrl: 'https://patchbay.example.com',
  clientId: process.env['PATCHBAY_CLIENT_ID'] ?? '',
  clientSecret: process.env['PATCHBAY_CLIENT_SECRET'] ?? '',
  externalUserId: 'customer-17',
});
const slack = await patchbay.connector('chat-workspace');
for await (const user of slack.users.list.all())
  process.stdout.write(`${user.id} ${user.name ?? ''}\n`);
