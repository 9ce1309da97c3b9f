let isClosed = false;

/** Whether the reader of our output has gone: nobody is left to be told anything. */
export function isOutputClosed(): boolean {
  // The error of the last write is known here at once; its event comes a tick later.
  return isClosed || isBrokenPipe(process.stdout.errored);
}

/**
 * Ends the process quietly when the reader of its output has read enough (`| head -1`). Work that
 * listens for SIGTERM is interrupted as by one, so that it leaves nothing half done.
 *
 * @param onFailure Called with the error code when output cannot be written, as on a full disk.
 */
export function watchOutput(onFailure: (code: string) => void): void {
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (isClosed) return;
    isClosed = isBrokenPipe(cause);
    if (!isClosed) onFailure(String(cause.code));
    else if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM');
    else process.exit(0);
  });
  // Errors of stderr are ignored: there is nowhere left to report them.
  process.stderr.on('error', () => undefined);
}

function isBrokenPipe(error: NodeJS.ErrnoException | null): boolean {
  return error?.code === 'EPIPE';
}
