import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';
import type { DoorSigns } from './door-signs.ts';
import type { Lane } from '../contract/lane-use.ts';
import { laneOfStart } from './lane.ts';
import { TurnQueue } from './turn-queue.ts';
import {
  AnswerEnd,
  asksForAnswer,
  CANCEL_REQUEST,
  emptyMessage,
  endsRequest,
  GSS_REQUEST,
  isTermination,
  MessageReader,
  SSL_REQUEST,
} from './wire-messages.ts';

interface WireServerOptions {
  readonly database: PGlite;
  readonly onWarning: (message: string) => void;
  /** Called when the database has ended in the midst of an answer. */
  readonly onBroken: (reason: string) => void;
  readonly signs: DoorSigns;
  /** How long a client may leave a transaction open and idle. Default: 30 s. */
  readonly idleTransactionMs?: number;
}

interface Client {
  readonly socket: Socket;
  readonly reader: MessageReader;
  lane: Lane;
  /** What was sent since the last message that asks for an answer. */
  request: Buffer[];
  hasStarted: boolean;
  isGone: boolean;
}

/** Something to do with the database while nobody else touches it. */
interface Turn {
  /** `undefined` for the server's own work. */
  readonly client: Client | undefined;
  readonly lane: Lane;
  readonly run: () => Promise<void>;
  /** Whether the next turn may be anybody's, if it leaves no transaction open. */
  readonly isWhole: boolean;
}

/** After a longer one, it matters who has come meanwhile. */
const LONG_TURN_MS = 2;

/**
 * Serves one PGlite session to many clients over a Unix socket, in the PostgreSQL protocol.
 *
 * Clients take turns by whole requests, and by whole transactions; of those who wait, who is in the
 * best lane comes first. That is why this is ours:
 * pglite-socket 0.2.17 takes turns by single messages, so that a client's `Bind` that arrives late
 * (parameters above 64 kB) ran the statement that another client had parsed in between.
 *
 * Not served: COPY from the client, cancelling, notifications.
 */
export class WireServer {
  readonly #database: PGlite;
  readonly #onWarning: (message: string) => void;
  readonly #onBroken: (reason: string) => void;
  readonly #signs: DoorSigns;
  readonly #idleTransactionMs: number;
  readonly #server: Server;
  readonly #clients = new Set<Client>();
  readonly #turns = new TurnQueue<Turn>();
  #isTakingTurns = false;
  /** The client whose request or transaction is open: all turns are its own until it ends. */
  #owner: Client | undefined;
  #ownerTimer: NodeJS.Timeout | undefined;
  /** What the owner, who is gone, has left: it is undone before anybody else's turn. */
  #undoing: Turn | undefined;

  constructor(options: WireServerOptions) {
    this.#database = options.database;
    this.#onWarning = options.onWarning;
    this.#onBroken = options.onBroken;
    this.#signs = options.signs;
    this.#idleTransactionMs = options.idleTransactionMs ?? 30_000;
    this.#server = createServer((socket) => {
      this.#accept(socket);
    });
  }

  async listen(path: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(path, resolve);
    await promise;
  }

  /** Does some work of the server's own, in its turn. */
  async runAlone(lane: Lane, work: (database: PGlite) => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#enqueue({
      client: undefined,
      lane,
      run: async () => {
        await work(this.#database).then(resolve, reject);
        // What failed in its midst, for a full disk say, would fail whatever comes next.
        if (this.#database.isInTransaction()) await this.#database.exec('rollback');
      },
      isWhole: true,
    });
    await promise;
  }

  /** Ends every connection, and every transaction that one of them left open. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => {
      resolve();
    });
    for (const client of this.#clients) client.socket.destroy();
    await promise;
    await this.runAlone('control', () => Promise.resolve());
  }

  #accept(socket: Socket): void {
    const client: Client = {
      socket,
      reader: new MessageReader(),
      lane: 'calls',
      request: [],
      hasStarted: false,
      isGone: false,
    };
    this.#clients.add(client);
    socket.on('data', (chunk: Buffer) => {
      client.reader.push(chunk);
      this.#read(client);
    });
    // A broken connection has no reader for an error; `close` follows and clears up.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#forget(client);
    });
  }

  #read(client: Client): void {
    while (!client.isGone) {
      const message = client.hasStarted ? client.reader.nextTyped() : client.reader.nextUntyped();
      if (message === undefined) return;
      if (client.hasStarted) this.#receive(client, message);
      else this.#start(client, message);
    }
  }

  #start(client: Client, message: Buffer): void {
    const code = message.length < 8 ? CANCEL_REQUEST : message.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      client.socket.write('N');
    } else if (code === CANCEL_REQUEST) {
      client.socket.destroy();
    } else {
      client.hasStarted = true;
      client.lane = laneOfStart(message);
      this.#enqueue(this.#turnOf(client, message, true));
    }
  }

  #receive(client: Client, message: Buffer): void {
    if (isTermination(message)) {
      client.socket.end();
      return;
    }
    client.request.push(message);
    if (!asksForAnswer(message)) return;
    const request = Buffer.concat(client.request);
    client.request = [];
    this.#enqueue(this.#turnOf(client, request, endsRequest(message)));
  }

  #turnOf(client: Client, request: Buffer, isWhole: boolean): Turn {
    const { lane, socket } = client;
    return { client, lane, run: () => this.#answer(socket, request, isWhole), isWhole };
  }

  async #answer(socket: Socket, request: Buffer, isWhole: boolean): Promise<void> {
    const end = new AnswerEnd();
    socket.cork();
    await this.#execute(request, (piece) => {
      end.push(piece);
      if (socket.writable) socket.write(piece);
    });
    socket.uncork();
    if (isWhole && !end.isComplete()) this.#onBroken(end.lastWords());
  }

  async #execute(request: Buffer, onAnswer: (piece: Buffer) => void): Promise<void> {
    await this.#database.runExclusive(() =>
      this.#database.execProtocolRawStream(request, {
        // The bytes are the database's own memory, good for this call only.
        onRawData: (bytes) => {
          onAnswer(Buffer.from(bytes));
        },
      }),
    );
  }

  #enqueue(turn: Turn): void {
    this.#turns.add(turn);
    // Rejects only if the database itself breaks down; then the whole worker ends with that error.
    void this.#takeTurns();
  }

  async #takeTurns(): Promise<void> {
    if (this.#isTakingTurns) return;
    this.#isTakingTurns = true;
    for (let turn = this.#nextTurn(); turn !== undefined; turn = this.#nextTurn()) {
      clearTimeout(this.#ownerTimer);
      if (isAsked(turn)) this.#signs.ask();
      this.#signs.begin({
        isUpkeep: turn.client === undefined,
        isSearch: turn.lane === 'searches',
      });
      const begunAt = performance.now();
      await turn.run();
      this.#signs.end();
      this.#settle(turn);
      if (this.#owner === undefined && performance.now() - begunAt > LONG_TURN_MS) {
        await readSockets();
      }
    }
    this.#isTakingTurns = false;
    if (this.#owner === undefined && this.#turns.waitMs > 0) {
      setTimeout(() => void this.#takeTurns(), this.#turns.waitMs);
    }
  }

  #nextTurn(): Turn | undefined {
    const undoing = this.#undoing;
    this.#undoing = undefined;
    if (undoing !== undefined) return undoing;
    const owner = this.#owner;
    if (owner === undefined) return this.#turns.take();
    return this.#turns.takeOf(({ client }) => client === owner);
  }

  #settle(turn: Turn): void {
    const { client } = turn;
    const isOpen = client !== undefined && (!turn.isWhole || this.#database.isInTransaction());
    this.#owner = isOpen ? client : undefined;
    if (!isOpen) return;
    if (client.isGone) this.#abandon();
    else this.#watch(client);
  }

  /** A transaction that waits for something else than the database would block everybody. */
  #watch(owner: Client): void {
    this.#ownerTimer = setTimeout(() => {
      this.#onWarning(
        `A transaction was open and idle for ${this.#idleTransactionMs} ms; it was rolled back and its connection closed.`,
      );
      owner.socket.destroy();
    }, this.#idleTransactionMs);
  }

  #forget(client: Client): void {
    client.isGone = true;
    this.#clients.delete(client);
    this.#turns.drop((turn) => turn.client === client);
    if (this.#owner === client && !this.#isTakingTurns) this.#abandon();
  }

  /** Undoes what the owner, who is gone, left open, before anybody else's turn. */
  #abandon(): void {
    clearTimeout(this.#ownerTimer);
    this.#owner = undefined;
    this.#undoing = {
      client: undefined,
      lane: 'control',
      run: async () => {
        await this.#execute(emptyMessage('S'), () => undefined);
        if (this.#database.isInTransaction()) await this.#database.exec('rollback');
      },
      isWhole: true,
    };
    void this.#takeTurns();
  }
}

/** Lets the event loop go round: in the midst of a turn it has not, and who asked meanwhile is not known. */
async function readSockets(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Whether a person or a program waits for it, rather than replication or the service itself. */
function isAsked({ lane }: Turn): boolean {
  return lane === 'calls' || lane === 'searches';
}
