import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';

/** The official client, which closes its connection also where a test fails. */
export interface OpenClient extends AsyncDisposable {
  readonly client: Client;
}

export async function openClient(
  transport: Transport,
  options: ClientOptions = {},
): Promise<OpenClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
