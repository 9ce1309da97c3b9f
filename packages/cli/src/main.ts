#!/usr/bin/env node
import { ServiceError } from '@patchbay/server';
import { isStoreError } from '@patchbay/store';
import { buildProgram } from './program.ts';
import { CommandError, processTerminal } from './terminal.ts';

try {
  await buildProgram(processTerminal, process.env).parseAsync();
} catch (error) {
  const isForeseen =
    error instanceof CommandError || error instanceof ServiceError || isStoreError(error);
  // What nobody foresaw is a bug: its stack helps whoever mends it.
  processTerminal.err(isForeseen ? `patchbay: ${error.message}\n` : `${describe(error)}\n`);
  process.exitCode = 1;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
