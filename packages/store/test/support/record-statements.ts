/**
 * Writes the statements that the store sends into the folder `RECORD_STATEMENTS`, a file for each
 * process. Suites record with `NODE_OPTIONS=--import=<this file>`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { appendStatement } from './recorded-statements.ts';
import { watchStatements } from './statement-recorder.ts';

const folder = process.env['RECORD_STATEMENTS'];
if (folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}-${threadId}.jsonl`);
  watchStatements((statement) => appendStatement(file, statement));
}
