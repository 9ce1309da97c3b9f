/** Zendesk's refusal of a call: a status and one of its several shapes of body. */
export class SupportError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(JSON.stringify(body));
    this.name = 'SupportError';
    this.status = status;
    this.body = body;
  }
}

/** The refusal of a parameter, as the older endpoints word it. */
export function invalidAttribute(name: string, rule: string): SupportError {
  const title = 'Invalid attribute';
  const message = `You passed an invalid value for the ${name} attribute. Invalid parameter: ${name} ${rule}`;
  return new SupportError(400, { error: { title, message } });
}

/** The refusal of a page, as the newer endpoints word it. */
export function invalidPaging(code: string, title: string): SupportError {
  return new SupportError(400, { errors: [{ code, title, detail: title }] });
}

export function recordNotFound(): SupportError {
  return new SupportError(404, { error: 'RecordNotFound', description: 'Not found' });
}

export function startTimeTooRecent(): SupportError {
  const description = 'Too recent start_time. Use a start_time older than 60 seconds';
  return new SupportError(400, { error: 'StartTimeTooRecent', description });
}

export function invalidEndpoint(): SupportError {
  return new SupportError(404, { error: 'InvalidEndpoint', description: 'Not found' });
}

export function forbidden(): SupportError {
  const message =
    'You do not have access to this page. Please contact the account owner of this help desk for further help.';
  return new SupportError(403, { error: { title: 'Forbidden', message } });
}

/** The usual statuses of codes that a fault may ask for. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ["Couldn't authenticate you", 401],
  ['invalid_token', 401],
  ['Forbidden', 403],
  ['RecordNotFound', 404],
  ['InvalidEndpoint', 404],
  ['DatabaseConflict', 409],
  ['RecordInvalid', 422],
  ['UnprocessableEntity', 422],
  ['APIRateLimitExceeded', 429],
  ['InternalError', 500],
  ['ServiceUnavailable', 503],
]);

/** The refusal that a fault asks for by its code; 400 for codes without a usual status. */
export function refusalOf(code: string, status = STATUSES.get(code) ?? 400): SupportError {
  if (code === 'Forbidden' && status === 403) return forbidden();
  if (code === 'RecordInvalid') {
    const details = {
      base: [{ description: 'Something about it is wrong', error: 'InvalidValue' }],
    };
    return new SupportError(status, {
      error: code,
      description: 'Record validation errors',
      details,
    });
  }
  return new SupportError(status, { error: code, description: `The sandbox answers ${code}` });
}
