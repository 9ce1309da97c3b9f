import { createServer } from 'node:http';
import { serve } from './serve.ts';

/**
 * An Intercom account of `BENCH_RECORDS` contacts that have hardly more than an id, and of nothing else. It makes
 * each page when it is asked for, so that an account of any size costs it nothing.
 */
const RECORDS = Number(process.env['BENCH_RECORDS']);
const A_PAGE = 150;
const CHANGED_AT = 1_767_225_600;
const ME = { type: 'admin', id: '1', app: { type: 'app', id_code: 'bench', name: 'Bench' } };
const NOTHING = { data: [], admins: [], teams: [], segments: [], conversations: [], pages: null };

const server = createServer((incoming, outgoing) => {
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://127.0.0.1');
  incoming.resume();
  outgoing.setHeader('content-type', 'application/json');
  outgoing.end(JSON.stringify(answer(pathname, Number(searchParams.get('starting_after') ?? 0))));
});
server.listen(0, '127.0.0.1', () => {
  // A listening TCP server has an address with a port.
  const { port } = server.address() as { port: number };
  serve({ intercom: `http://127.0.0.1:${port}` }, () => {
    server.closeAllConnections();
    server.close();
  });
});

function answer(path: string, from: number): object {
  if (path === '/me') return ME;
  return path === '/contacts' ? contactsFrom(from) : NOTHING;
}

function contactsFrom(from: number) {
  const end = Math.min(RECORDS, from + A_PAGE);
  const data = Array.from({ length: end - from }, (_, index) => {
    const id = String(from + index);
    return { type: 'contact', id, name: `Contact ${id}`, role: 'user', updated_at: CHANGED_AT };
  });
  const next = end < RECORDS ? { starting_after: String(end) } : null;
  return { type: 'list', data, pages: { type: 'pages', next } };
}
