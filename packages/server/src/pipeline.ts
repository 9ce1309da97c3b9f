import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that a connection may send ahead, while an earlier one is answered. */
export const MOST_AHEAD = 16;

/** What a connection has sent ahead: the response that comes last, and how many have not begun. */
interface Line {
  last: ServerResponse;
  waiting: number;
}

const lines = new WeakMap<Socket, Line>();

/**
 * Begins the requests of a connection one after the other, as HTTP/1.1 sends their answers: of a client that sends
 * thousands in one go all would be worked on before anybody else's. One that sends more ahead than it may is cut.
 *
 * @param begin Begins the work; not called once the connection is closed, or an answer has said that it will be: nobody would
 * learn of what is done then.
 */
export function whenItsTurn(
  { socket }: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
): void {
  if (!socket.writable) return cut(socket);
  // Node gives a response its socket once those before it have been sent.
  const underWay = response.socket === null ? responseUnderWay(socket) : undefined;
  if (underWay === undefined) return begin();
  const line = lines.get(socket) ?? { last: underWay, waiting: 0 };
  if (line.waiting === 0) line.last = underWay;
  if (line.waiting === MOST_AHEAD) return cut(socket);
  lines.set(socket, line);
  line.last.once('close', () => {
    line.waiting -= 1;
    if (socket.writable) begin();
  });
  line.last = response;
  line.waiting += 1;
}

/** Node keeps it there, and its own default handlers look at the same place. */
export function responseUnderWay(socket: Socket): ServerResponse | undefined {
  // Proof: a server's socket has its response there, or null between two.
  return (Reflect.get(socket, '_httpMessage') as ServerResponse | null | undefined) ?? undefined;
}

/**
 * Node would go on through all that has come already, and make a request of each: up to two thousand of one read. Its
 * parser stops behind one that is said to lead to another protocol.
 */
function cut(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null)
    Reflect.set(parser, 'onIncoming', () => LEADS_ELSEWHERE);
  socket.destroy();
}

/** What Node's HTTP parser takes for "no body, and no more requests". */
const LEADS_ELSEWHERE = 2;
