/** Slack's refusal of a call: HTTP 200, usually, with `ok: false` and this code in `error`. */
export class SlackError extends Error {
  readonly code: string;
  /** Further fields of the answer. */
  readonly extra: Readonly<Record<string, unknown>>;

  readonly status: number;

  constructor(code: string, extra: Readonly<Record<string, unknown>> = {}, status = 200) {
    super(code);
    this.name = 'SlackError';
    this.code = code;
    this.extra = extra;
    this.status = status;
  }
}

/** The refusal of arguments, with one message per problem, as Slack words them. */
export function invalidArguments(problems: readonly string[]): SlackError {
  const messages = problems.map((problem) => `[ERROR] ${problem}`);
  return new SlackError('invalid_arguments', { response_metadata: { messages } });
}
