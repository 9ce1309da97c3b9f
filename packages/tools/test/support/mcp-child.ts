import { createConnector } from '@patchbay/connectors';
import { libraryHost, serveStdio } from '@patchbay/tools';

/** A program that serves a connector over stdio: what an editor would start. */
const [baseUrl = '', writes] = process.argv.slice(2);
const slack = createConnector('chat-workspace', {
  credentials: { api_token: 'xoxb-test' },
  baseUrl,
  upstreamLimits: 'reactive',
});
const server = serveStdio({
  host: libraryHost(slack),
  allowWrites: writes === '--allow-writes',
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});
await server.closed;
process.stderr.write('closed\n');
process.exit(0);
