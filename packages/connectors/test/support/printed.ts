import { inspect } from 'node:util';

/** Everything that a program might print of a value. */
export function printed(value: unknown): string {
  const parts: string[] = [
    inspect(value, { depth: Infinity, showHidden: true, getters: true, maxArrayLength: null }),
    String(value),
    JSON.stringify(value),
  ];
  for (let error = value; error instanceof Error; error = error.cause)
    parts.push(error.message, error.stack ?? '', JSON.stringify(error), inspect(error));
  return parts.join('\n');
}
