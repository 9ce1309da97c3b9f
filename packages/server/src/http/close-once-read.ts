import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/**
 * Lets a connection that its client does not keep stay open until the request has come whole, or has had its time. Node
 * closes it when the answer has gone, whatever is still on its way: the system then throws away the answer as well,
 * before a client that first sends all has read it.
 */
export function closeOnceRead(request: IncomingMessage): void {
  const { socket } = request;
  // Node's own, and not what an earlier request of the connection has put there: those would go on from one to the next.
  const closeNow = () => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (request.complete || request.destroyed) return closeNow();
    socket.end();
    request.once('close', closeNow);
  };
}
