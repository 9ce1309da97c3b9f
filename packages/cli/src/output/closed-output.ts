let isClosed = false;

/** Whether the reader of our output has gone: nobody is left to be told anything. */
export function isOutputClosed(): boolean {
  // What the last write met is known at once; the event for it comes a tick later.
  return isClosed || isBrokenPipe(process.stdout.errored);
}

/**
 * Ends the process quietly when whoever reads its output has read enough (`| head -1`); work that
 * can be interrupted is, so that it leaves nothing half done.
 *
 * @param onFailure Told the code of what keeps the output from being written, such as a full disk.
 */
export function watchOutput(onFailure: (code: string) => void): void {
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (isClosed) return;
    isClosed = isBrokenPipe(cause);
    if (!isClosed) onFailure(String(cause.code));
    else if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM');
    else process.exit(0);
  });
  // What cannot be told is not worth a failure of its own.
  process.stderr.on('error', () => undefined);
}

function isBrokenPipe(error: NodeJS.ErrnoException | null): boolean {
  return error?.code === 'EPIPE';
}
