import { Client } from 'pg';

/** A statement that the store sent, with the values of the first time. */
export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Functions of the store that it was sent for, innermost first, such as `sync/leases.ts takeLease`. */
  readonly callers: readonly string[];
}

/** Deep enough for what a call passes through on its way to the database. */
const FRAMES = 60;

/** A named function of the store, as V8 writes its frame. */
const FRAME =
  /^\s*at (?:async )?(?:Object\.)?(\S+) \(.*\/packages\/store\/src\/([^:]+\.ts):\d+:\d+\)$/;

/** What statements pass through, whoever sends them. */
const WAYS = new Set(['pooled-client.ts', 'connection-pool.ts', 'repeated-read.ts', 'lanes.ts']);

/**
 * Tells of every statement that the store sends in this process, once for each text and caller, just
 * before it is sent, and again where a list has one value instead of many, or more than before. Statements of tests are
 * not told of, nor those to embedded databases. It stays until the process ends.
 */
export function watchStatements(onStatement: (statement: RecordedStatement) => void): void {
  const seen = new Map<string, number>();
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, FRAMES);
  // Proof: whatever the arguments are, they and the answer are passed on as they are.
  const prototype = Client.prototype as {
    query: (this: Client, ...given: readonly unknown[]) => unknown;
  };
  const { query } = prototype;
  prototype.query = function recordedQuery(this: Client, ...given) {
    const [config] = given;
    if (isConfig(config) && !isEmbedded(this)) {
      const callers = callersIn(new Error('where the statement comes from').stack ?? '');
      const statement = { text: config.text, values: config.values ?? [], callers };
      const key = keyOf(statement);
      const size = sizeOf(statement);
      if (callers.length > 0 && size > (seen.get(key) ?? -1)) {
        seen.set(key, size);
        onStatement(statement);
      }
    }
    return query.apply(this, [...given]);
  };
}

/** As the store gives every statement to the driver. */
interface StatementConfig {
  readonly text: string;
  readonly values?: readonly unknown[];
}

function isConfig(given: unknown): given is StatementConfig {
  return typeof given === 'object' && given !== null && 'text' in given;
}

/** An embedded database is reached by a socket in a folder, a server by its name. */
function isEmbedded({ host }: Pick<Client, 'host'>): boolean {
  return host.startsWith('/');
}

/** The same for statements that differ only in their values; but one of one thing is not one of many. */
export function keyOf({ text, values, callers }: RecordedStatement): string {
  const many = values.map((value) => (Array.isArray(value) && value.length > 1 ? 'many' : 'one'));
  return [callers[0], many.join(), text].join(' ');
}

/** How many values its lists have: a few may all be on one node by chance. */
export function sizeOf({ values }: RecordedStatement): number {
  return values.reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0);
}

/** The functions of the store in a stack, innermost first, as `path name`. */
function callersIn(stack: string): readonly string[] {
  return stack.split('\n').flatMap((line) => {
    const [, name, file] = FRAME.exec(line) ?? [];
    return name === undefined || file === undefined || WAYS.has(file) ? [] : [`${file} ${name}`];
  });
}
