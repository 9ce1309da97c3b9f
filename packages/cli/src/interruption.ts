/** The process was asked to stop. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly signal: 'SIGINT' | 'SIGTERM';

  /** @param message What the user should know; empty where there is nothing to say. */
  constructor(signal: 'SIGINT' | 'SIGTERM', message = '') {
    super(message);
    this.signal = signal;
  }
}

/**
 * Does work that Ctrl-C or SIGTERM ends through its signal, whose reason is an `Interruption`. A
 * second one ends the process at once.
 *
 * @param message What the user should know when the work has been interrupted.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  message?: string,
): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) =>
    controller.abort(new Interruption(signal === 'SIGTERM' ? signal : 'SIGINT', message));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
