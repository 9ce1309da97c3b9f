import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { TSC } from './typescript-project.ts';

/** A message of the protocol, as far as it is looked at. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The language server that editors use, as a process of its own, for the files of one folder. */
export class LanguageServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #received: Buffer = Buffer.alloc(0);
  #lastId = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#process = spawn(process.execPath, [TSC, '--lsp', '--stdio'], {
      cwd: folder,
      // It writes there when it is asked to end.
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  static async start(folder: string): Promise<LanguageServer> {
    const server = new LanguageServer(folder);
    await server.#request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    });
    server.#notify('initialized', {});
    return server;
  }

  /** Opens a file of the folder, as an editor does. */
  open(name: string, text: string): void {
    const textDocument = { uri: this.#uriOf(name), languageId: 'typescript', version: 1, text };
    this.#notify('textDocument/didOpen', { textDocument });
  }

  /** What the editor shows where the mouse rests on the character at `offset` of the file, as Markdown. */
  async hover(name: string, text: string, offset: number): Promise<string> {
    const before = text.slice(0, offset).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    const textDocument = { uri: this.#uriOf(name) };
    const hover = await this.#request('textDocument/hover', { textDocument, position });
    // The protocol has it so where the client says that it takes Markdown.
    const { contents } = (hover ?? {}) as { readonly contents?: { readonly value: string } };
    return contents?.value ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#request('shutdown', undefined);
    const closed = once(this.#process, 'close');
    this.#notify('exit', undefined);
    this.#process.stdin.end();
    await closed;
  }

  #uriOf(name: string): string {
    return pathToFileURL(join(this.#folder, name)).href;
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    const { error, result } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  #notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#received.subarray(0, end).toString();
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1]);
      const next = end + 4 + length;
      if (this.#received.length < next) return;
      const body = this.#received.subarray(end + 4, next).toString();
      this.#received = this.#received.subarray(next);
      // What the server of the language sends is of this shape, by the protocol.
      this.#take(JSON.parse(body) as Message);
    }
  }

  #take(message: Message): void {
    // The server asks for settings and watchers, which a test has none of.
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#send({ id: message.id, result: null });
      return;
    }
    const id = Number(message.id);
    this.#waiting.get(id)?.(message);
    this.#waiting.delete(id);
  }
}
