import { pino, type DestinationStream, type Logger } from 'pino';
import { LogDestination } from './log-destination.ts';

export type { Logger } from 'pino';

/** How the service logs: an own pino logger, or a level and a destination (a stream, or a file descriptor). */
export type LogOptions =
  Logger | { readonly level?: string; readonly destination?: DestinationStream | number };

/** Members that never reach a log line, should anybody ever log an object that has them. */
const REDACTED = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'credentials',
  'body',
  'client_secret',
  'clientSecret',
  'access_token',
  'token',
];

/** The logger of those options; without any, JSON lines on standard output from level `info`. */
export function makeLogger(options: LogOptions = {}): Logger {
  if ('info' in options) return options;
  const { level = 'info', destination = 1 } = options;
  return pino(
    {
      level,
      base: null,
      redact: { paths: REDACTED, censor: '[redacted]' },
      serializers: { err: errorForLog },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: shown },
    },
    typeof destination === 'number' ? new LogDestination(destination) : destination,
  );
}

/** C1 controls, and the characters that turn the direction of text around: JSON leaves them as they are. */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A line that a terminal shows, whatever an upstream has put into a text: escaped, it means the same JSON. */
function shown(line: string): string {
  return line.replaceAll(
    OBEYED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * What a log line holds of an error: type, code, message, stack and causes. Nothing else of it,
 * since database and network errors carry rows and headers.
 */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: errorForLog(error.cause) }),
  };
}

/** Writes out what the logger still holds. A failure becomes a warning of the process. */
export function flushLog(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    logger.flush((error) => {
      // A file that was synced brings null. Lines to a pipe or terminal are written, but the file
      // system has nothing to sync there.
      if (error instanceof Error && !('code' in error && error.code === 'EINVAL'))
        process.emitWarning(`The last log lines may be lost: ${error.message}`);
      resolve();
    });
  });
}
