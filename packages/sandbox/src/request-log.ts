/** What the sandbox remembers of one request. It never holds a credential. */
export interface RequestLogEntry {
  /** When it arrived, in milliseconds of the sandbox's clock. */
  readonly at: number;
  /** The upstream method, such as `users.list`; empty when the path names none. */
  readonly method: string;
  readonly verb: string;
  /** The path without its query. */
  readonly path: string;
  /** Parsed parameters without those that hold secrets; texts over 8,192 characters are cut. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Names of the headers present, lower-cased, in the order sent. */
  readonly headers: readonly string[];
  /** The scheme of the Authorization header (`Bearer`), or null without one. */
  readonly authorization: string | null;
  /** The answer's status; null while unanswered, and when the connection was cut instead. */
  readonly status: number | null;
}

/** An entry whose status is still to come. */
export interface OpenLogEntry extends RequestLogEntry {
  status: number | null;
}

/** Parameters that hold credentials, or what can be exchanged for some. */
const SECRET_PARAMS: ReadonlySet<string> = new Set([
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
]);
const MAX_LOGGED_CHARACTERS = 8_192;

/** The most recent requests, oldest first, bounded in number. */
export class RequestLog {
  readonly #capacity: number;
  #entries: RequestLogEntry[] = [];
  #oldest = 0;

  constructor(capacity = 1_000) {
    this.#capacity = capacity;
  }

  add(entry: RequestLogEntry): void {
    if (this.#entries.length < this.#capacity) {
      this.#entries.push(entry);
      return;
    }
    this.#entries[this.#oldest] = entry;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
  }

  /** A copy of the entries, oldest first. */
  list(): readonly RequestLogEntry[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
  }

  clear(): void {
    this.#entries = [];
    this.#oldest = 0;
  }
}

/** `params` without secrets, and with texts cut that would fill the memory. */
export function loggableParams(
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(params)) {
    if (SECRET_PARAMS.has(name)) continue;
    const value = params[name];
    const isLong = typeof value === 'string' && value.length > MAX_LOGGED_CHARACTERS;
    kept[name] = isLong ? `${value.slice(0, MAX_LOGGED_CHARACTERS)}…` : value;
  }
  return kept;
}

/** The lower-cased names of a raw header list (name, value, name, value, …). */
export function headerNames(rawHeaders: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    names.push((rawHeaders[index] ?? '').toLowerCase());
  }
  return names;
}
