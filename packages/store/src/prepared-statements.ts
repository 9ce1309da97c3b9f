import type { PoolClient } from 'pg';

/** So often a statement has come before connections keep it: of most shapes of a filter there are only a few. */
const OFTEN = 5;
/** Of so many statements it is known how often they came. */
const COUNTED = 500;
/** So many a connection keeps: each takes the server some 200 kB. */
const KEPT = 50;
/** Longer ones, in characters, are not kept: they take the server up to 5 MB each, which is for a caller to choose. */
const LONGEST_KEPT = 10_000;

/** How often statements came lately, over all connections of a pool. */
export class FrequentStatements {
  /** By their text, the longest unused first. */
  readonly #times = new Map<string, number>();

  /** Counts one more time. */
  isFrequent(text: string): boolean {
    const times = (this.#times.get(text) ?? 0) + 1;
    this.#times.delete(text);
    this.#times.set(text, times);
    if (this.#times.size > COUNTED) this.#times.delete(oldestOf(this.#times));
    return times > OFTEN;
  }
}

/** What the types of `pg` leave out of a connection. */
interface ProtocolConnection {
  close(statement: { readonly type: 'S'; readonly name: string }): void;
  /** By name; `pg` parses a statement that is not here. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
}

/**
 * The statements that a connection has prepared and the server keeps, with a plan where that serves for any
 * values: to read and plan a search anew takes the server longer than to run it.
 */
export class PreparedStatements {
  readonly #connection: ProtocolConnection;
  readonly #frequent: FrequentStatements;
  /** By their text, the longest unused first. */
  readonly #names = new Map<string, string>();
  #made = 0;

  constructor(client: Pick<PoolClient, 'connection'>, frequent: FrequentStatements) {
    // Proof: `pg/lib/connection.js` has them all; its types only name what is public.
    this.#connection = client.connection as unknown as ProtocolConnection;
    this.#frequent = frequent;
  }

  /** What a statement that now follows is called; `undefined` where it is not to be kept. */
  nameOf(text: string): string | undefined {
    if (text.length > LONGEST_KEPT || !this.#frequent.isFrequent(text)) return undefined;
    const name = this.#names.get(text) ?? `patchbay_${++this.#made}`;
    this.#names.delete(text);
    this.#names.set(text, name);
    if (this.#names.size > KEPT) this.#forget(oldestOf(this.#names));
    return name;
  }

  #forget(text: string): void {
    const name = this.#names.get(text);
    this.#names.delete(text);
    if (name === undefined) return;
    this.#connection.close({ type: 'S', name });
    delete this.#connection.parsedStatements[name];
    delete this.#connection.submittedNamedStatements[name];
  }
}

/** @param entries At least one. */
function oldestOf(entries: ReadonlyMap<string, unknown>): string {
  const [oldest = ''] = entries.keys();
  return oldest;
}
