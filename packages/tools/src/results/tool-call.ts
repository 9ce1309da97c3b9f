import type { JsonObject } from '../host.ts';

/** A call of a tool. */
export interface ToolCallText {
  readonly tool: string;
  readonly arguments: JsonObject;
}
