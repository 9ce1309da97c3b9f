import { printableJson } from './printable.ts';

/** A value as JSON, with its line end: on one line for programs, indented for people. */
export function jsonText(value: unknown, isForPeople: boolean): string {
  return `${printableJson(JSON.stringify(value, null, isForPeople ? 2 : undefined))}\n`;
}
