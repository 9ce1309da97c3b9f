import fastify from 'fastify';
import { Agent, request } from 'undici';
import { serve } from './serve.ts';

/** The least a service in between can do: read the body, forward one request, hand the bytes on. */
const upstream = process.env['BENCH_UPSTREAM'] ?? '';
const dispatcher = new Agent({ connections: 128 });
const app = fastify();
app.post<{ Body: { params: { user: string } } }>('/execute', async (incoming, reply) => {
  const { user } = incoming.body.params;
  const answer = await request(`${upstream}/users.info?user=${encodeURIComponent(user)}`, {
    dispatcher,
    headers: { authorization: 'Bearer bench' },
  });
  return reply.type('application/json').send(await answer.body.text());
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
serve({ execute: `${url}/execute` }, () => Promise.all([app.close(), dispatcher.close()]));
