import type { Readable, Writable } from 'node:stream';
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
  return { closed: transport.closed, close: () => handle.close() };
}

/** Tells when it is closed, whoever closes it. */
class WatchedTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #settle: () => void;

  constructor(stdin: Readable | undefined, stdout: Writable | undefined) {
    super(stdin, stdout);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#settle = resolve;
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } finally {
      this.#settle();
    }
  }
}
