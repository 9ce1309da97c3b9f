import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import {
  serveStdio as serveConnection,
  StdioServerTransport,
} from '@modelcontextprotocol/server/stdio';
import { Toolbox, type ToolboxOptions } from '../toolbox.ts';
import { makeMcpServer } from './server.ts';

export interface StdioOptions extends ToolboxOptions {
  /** Instead of those of the process. Nothing else may write to `stdout`. */
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  /** Told of messages that are no valid MCP, and of trouble with the streams. */
  readonly onProtocolError?: ((error: Error) => void) | undefined;
}

/** A server that answers one program over its standard streams. */
export interface StdioServer {
  /** Settles when the program has closed the connection, or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves the tools over stdio, to clients of any protocol revision that the SDK knows. */
export function serveStdio(options: StdioOptions): StdioServer {
  const { onProtocolError: onerror = () => undefined, stdin, stdout } = options;
  const toolbox = new Toolbox(options);
  const transport = new WatchedTransport(stdin, stdout);
  const handle = serveConnection(() => makeMcpServer(toolbox), { transport, onerror });
  const close = async () => {
    transport.giveUp();
    await handle.close();
  };
  return { closed: transport.closed, close };
}

/** Once its input has ended, calls under way have so long for their answers. */
const ANSWERS_WITHIN_MS = 10_000;

/**
 * Tells when it is closed, whoever closes it. A program that has said all it wants to say gets its answers all the same,
 * as one that pipes its calls in.
 */
class WatchedTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #settle: () => void;
  readonly #asked = new Set<string | number>();
  readonly #answered = new EventEmitter();
  #isGivenUp = false;

  constructor(stdin: Readable | undefined, stdout: Writable | undefined) {
    super(stdin, stdout);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#settle = resolve;
    (stdout ?? process.stdout).once('close', () => this.giveUp());
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- The transport of the SDK is no event target.
    this.onmessage = (message: JSONRPCMessage) => {
      this.#note(message);
      deliver?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } finally {
      if (!('method' in message) && message.id !== undefined) this.#forget(message.id);
    }
  }

  /** Nobody waits for answers any more. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#answered.emit('all');
  }

  override async close(): Promise<void> {
    try {
      await this.#allAnswered();
      await super.close();
    } finally {
      this.#settle();
    }
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    const { method, params } = message;
    // A subscription is never over.
    if ('id' in message && method !== 'subscriptions/listen') this.#asked.add(message.id);
    const cancelled = method === 'notifications/cancelled' ? params?.['requestId'] : undefined;
    if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#forget(cancelled);
  }

  #forget(id: string | number): void {
    if (this.#asked.delete(id) && this.#asked.size === 0) this.#answered.emit('all');
  }

  async #allAnswered(): Promise<void> {
    if (this.#isGivenUp || this.#asked.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ANSWERS_WITHIN_MS);
    this.#answered.once('all', resolve);
    await promise;
    clearTimeout(timer);
  }
}
