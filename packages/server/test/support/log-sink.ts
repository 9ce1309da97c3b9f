/** Collects what a logger writes. */
export interface LogSink {
  write(line: string): void;
  /** Everything written so far. */
  text(): string;
  /** The lines as objects. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  clear(): void;
}

export function makeLogSink(): LogSink {
  let written: string[] = [];
  return {
    write: (line) => {
      written.push(line);
    },
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
