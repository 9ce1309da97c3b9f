/** One call, as far as a command line has to say it. */
export interface ShownCall {
  readonly method: string;
  /** As the OpenAPI document has it. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly needsToken: boolean;
}

/**
 * The call as a line for a shell that knows the variables `PATCHBAY_BASE_URL` and, where one is needed, `TOKEN`.
 * Words in braces in the path are to be replaced.
 */
export function curlLine({ method, path, body, needsToken }: ShownCall): string {
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$PATCHBAY_BASE_URL${path}"`,
    ...(needsToken ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' ');
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
