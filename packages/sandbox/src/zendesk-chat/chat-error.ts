/** Zendesk Chat's refusal of a call: a status, its name, and a sentence. */
export class ChatError extends Error {
  readonly status: number;
  readonly error: string;
  readonly description: string;

  constructor(status: number, description: string, error = NAMES.get(status) ?? 'Error') {
    super(description);
    this.name = 'ChatError';
    this.status = status;
    this.error = error;
    this.description = description;
  }
}

const NAMES: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [409, 'Conflict'],
  [422, 'Unprocessable Entity'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
]);

/** The refusal that a fault asks for by its name; by default with the name's status, or 400. */
export function chatRefusalOf(error: string, status?: number): ChatError {
  const usual = [...NAMES].find(([, name]) => name === error)?.[0] ?? 400;
  return new ChatError(status ?? usual, `The sandbox answers ${error}`, error);
}
