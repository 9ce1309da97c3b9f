/** One call, as far as a command line has to say it. */
export interface ShownCall {
  readonly method: string;
  /** As the OpenAPI document has it. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly needsToken: boolean;
  readonly accept?: string;
}

/**
 * The call as a line for a shell that knows the variables `PATCHBAY_BASE_URL`, `TOKEN` where one is needed, and for
 * each word in braces in the path one of its name, `ID` for example: to curl itself, braces are lists.
 */
export function curlLine({ method, path, body, needsToken, accept }: ShownCall): string {
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$PATCHBAY_BASE_URL${withVariables(path)}"`,
    ...(needsToken ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(accept === undefined ? [] : [`-H 'accept: ${accept}'`]),
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' ');
}

function withVariables(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
