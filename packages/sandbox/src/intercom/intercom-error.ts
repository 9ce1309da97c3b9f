/** Intercom's refusal of a call: a status, and an error list with one entry. */
export class IntercomError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'IntercomError';
    this.status = status;
    this.code = code;
  }
}

/** The refusal of a parameter whose value is not valid. */
export function parameterInvalid(message: string): IntercomError {
  return new IntercomError(400, 'parameter_invalid', message);
}
