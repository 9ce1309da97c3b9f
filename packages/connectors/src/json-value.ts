/** Whether a parsed JSON value is an object, neither null nor an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as it may be quoted in a message: JSON, cut to a readable length. */
export function quote(value: unknown): string {
  const text = textOf(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object';
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    // Callers without types give what JSON has no words for: NaN, 10n, functions.
    case 'number':
    case 'bigint':
      return String(value);
    default:
      return typeof value;
  }
}
