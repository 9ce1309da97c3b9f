import type { IncomingMessage, ServerResponse } from 'node:http';
import { request, type Dispatcher } from 'undici';

/** Passes a request on to `url`, with the headers that simulated upstreams read, and its answer back. */
export async function forwardRequest(
  [incoming, outgoing]: readonly [IncomingMessage, ServerResponse],
  url: string,
  dispatcher: Dispatcher,
): Promise<void> {
  const { authorization, 'content-type': type, 'intercom-version': version } = incoming.headers;
  const chunks: Uint8Array[] = [];
  // Without an encoding a request is read in chunks of bytes.
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const answer = await request(url, {
    dispatcher,
    // Node's servers always set the method, and undici can send each one that they take.
    method: incoming.method as Dispatcher.HttpMethod,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(typeof version === 'string' ? { 'intercom-version': version } : {}),
    },
    body: chunks.length === 0 ? null : Buffer.concat(chunks),
  });
  const { location, 'content-type': answeredType } = answer.headers;
  outgoing.writeHead(answer.statusCode, {
    'content-type': typeof answeredType === 'string' ? answeredType : 'application/json',
    ...(typeof location === 'string' ? { location } : {}),
  });
  outgoing.end(Buffer.from(await answer.body.arrayBuffer()));
}
