import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyOf, sizeOf, type RecordedStatement } from './statement-recorder.ts';

/** Bytes, in JSON. */
interface WrittenBytes {
  readonly $bytes: string;
}

/** Appends a statement to a file, as one line of JSON. */
export function appendStatement(file: string, { text, values, callers }: RecordedStatement): void {
  const line = JSON.stringify({ text, values: values.map(toWritten), callers });
  appendFileSync(file, `${line}\n`);
}

/** What several processes have written into a folder; once for each text and innermost caller, with the longest lists. */
export async function readStatements(folder: string): Promise<readonly RecordedStatement[]> {
  const statements = new Map<string, RecordedStatement>();
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.jsonl')) continue;
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    for (const line of lines) {
      const statement = fromLine(line);
      if (statement === undefined) continue;
      const known = statements.get(keyOf(statement));
      if (known === undefined || sizeOf(known) < sizeOf(statement))
        statements.set(keyOf(statement), statement);
    }
  }
  return [...statements.values()];
}

/** None where the process was killed while it wrote the line. */
function fromLine(line: string): RecordedStatement | undefined {
  if (!line.endsWith('}')) return undefined;
  // Proof: `appendStatement` alone writes these lines, each at once.
  const written = JSON.parse(line) as RecordedStatement;
  return { ...written, values: written.values.map(fromWritten) };
}

function toWritten(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return { $bytes: Buffer.from(value).toString('base64') } satisfies WrittenBytes;
  }
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  return Array.isArray(value) ? value.map(toWritten) : value;
}

function fromWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWritten);
  return isBytes(value) ? Buffer.from(value.$bytes, 'base64') : value;
}

function isBytes(value: unknown): value is WrittenBytes {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$bytes' in value &&
    typeof value.$bytes === 'string'
  );
}
