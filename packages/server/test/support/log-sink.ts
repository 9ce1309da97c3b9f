import { EventEmitter } from 'node:events';

/** Collects what a logger writes. */
export interface LogSink {
  write(line: string): void;
  /** Everything written so far. */
  text(): string;
  /** The lines as objects. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  /** The code of the next call of a route, once its line is written. */
  nextCall(): Promise<unknown>;
  clear(): void;
}

export function makeLogSink(): LogSink {
  let written: string[] = [];
  const lines = new EventEmitter();
  return {
    write: (line) => {
      written.push(line);
      lines.emit('line', line);
    },
    nextCall: () =>
      new Promise((resolve) => {
        lines.on('line', (text: string) => {
          // Each line is an object, or this throws and fails the test.
          const line = JSON.parse(text) as Readonly<Record<string, unknown>>;
          if (line['msg'] === 'call' && line['route'] !== undefined) resolve(line['code']);
        });
      }),
    text: () => written.join(''),
    lines: () =>
      written
        .join('')
        .split('\n')
        .filter((line) => line !== '')
        // Each line is an object, or this throws and fails the test.
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    clear: () => {
      written = [];
    },
  };
}
