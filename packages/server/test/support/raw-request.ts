import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestAnswer } from './http-client.ts';

/** Sends bytes as they are, and reads until the server closes the connection. */
export function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    // Without the brackets of IPv6.
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect(Number(port), host, () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => {
      socket.end();
      resolve(Buffer.concat(chunks).toString());
    });
    socket.on('error', reject);
  });
}

/** Sends all bytes before it reads any of the answer, of which it returns what comes first. */
export async function readOnceSent(baseUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    const [first] = (await once(socket, 'data')) as [Buffer];
    return first.toString();
  } finally {
    socket.destroy();
  }
}

/** The first answer of raw HTTP text. */
export function parseRaw(text: string): TestAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body = rest.join('\r\n\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text: body,
    body: JSON.parse(body) as unknown,
  };
}
