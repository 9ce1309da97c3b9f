import { CommandError } from '../terminal.ts';

/** An error of the file system, met while writing, as a CommandError; any other error as it is. */
export function ofThisMachine(error: unknown, path: string): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error && 'code' in error;
  return isSystemError
    ? new CommandError(`Cannot write ${path} (${String(error.code)}).`, { cause: error })
    : error;
}
