import type { Fault, FaultKind } from './faults.ts';

type FieldCheck = (value: unknown) => string | undefined;

const wholeNumber =
  (min: number, max: number): FieldCheck =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? undefined
      : `must be a whole number from ${String(min)} to ${String(max)}`;
const oneOf =
  (...allowed: readonly string[]): FieldCheck =>
  (value) =>
    typeof value === 'string' && allowed.includes(value)
      ? undefined
      : `must be one of ${allowed.join(', ')}`;
const flag: FieldCheck = (value) => (typeof value === 'boolean' ? undefined : 'must be a boolean');
const text: FieldCheck = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a non-empty string';

const redirectTarget: FieldCheck = (value) => {
  const isWord = value === 'undeclaredHost' || value === 'http' || value === 'loop';
  return isWord || (typeof value === 'string' && URL.canParse(value))
    ? undefined
    : 'must be undeclaredHost, http, loop or a URL';
};

interface FaultShape {
  readonly required?: readonly string[];
  readonly fields: Readonly<Record<string, FieldCheck>>;
}

const SCOPE: Readonly<Record<string, FieldCheck>> = {
  method: text,
  times: wholeNumber(1, 1_000_000_000),
  skip: wholeNumber(0, 1_000_000_000),
  every: wholeNumber(1, 1_000_000_000),
};

const SHAPES: Readonly<Record<FaultKind, FaultShape>> = {
  rateLimit: { fields: { retryAfterSeconds: wholeNumber(0, 86_400) } },
  serverError: {
    fields: { status: wholeNumber(500, 599), body: oneOf('json', 'html'), afterApplying: flag },
  },
  htmlBody: { fields: { afterApplying: flag } },
  truncate: { fields: { how: oneOf('connection', 'json') } },
  cutConnection: { fields: { afterApplying: flag } },
  delay: { required: ['delayMs'], fields: { delayMs: wholeNumber(0, 3_600_000) } },
  hang: { fields: { afterApplying: flag } },
  oversize: { fields: { bytes: wholeNumber(64, 10_000_000_000) } },
  repeatCursor: { fields: {} },
  mutateWhilePaging: {
    required: ['change'],
    fields: { change: oneOf('insert', 'delete', 'update') },
  },
  unknownFields: { fields: {} },
  arrayBody: { fields: { where: oneOf('body', 'records', 'fields') } },
  bareWrites: { fields: {} },
  cutOpener: { fields: {} },
  revokeToken: { fields: { token: text } },
  upstreamError: {
    required: ['error'],
    fields: { error: text, status: wholeNumber(200, 599), afterApplying: flag },
  },
  redirect: { required: ['to'], fields: { to: redirectTarget } },
  slackError: { required: ['error'], fields: { error: text, afterApplying: flag } },
};

/** Says that a fault was refused, listing everything wrong with it at once. */
export class FaultRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`not a fault: ${problems.join('; ')}`);
    this.name = 'FaultRefused';
    this.problems = problems;
  }
}

/**
 * Checks a fault given as JSON over HTTP, or by a caller.
 *
 * @throws FaultRefused naming every unknown kind, unknown field and wrong value.
 */
export function parseFault(value: unknown): Fault {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FaultRefused(['the body must be a JSON object with a "kind"']);
  }
  const given = new Map<string, unknown>(Object.entries(value));
  const kind = given.get('kind');
  if (!isFaultKind(kind)) {
    throw new FaultRefused([`kind: must be one of ${Object.keys(SHAPES).join(', ')}`]);
  }
  const problems = faultProblems(SHAPES[kind], given);
  if (problems.length > 0) throw new FaultRefused(problems);
  // Proven: the kind is known, its required fields are there and every field passed its check.
  return value as Fault;
}

function isFaultKind(kind: unknown): kind is FaultKind {
  return typeof kind === 'string' && Object.hasOwn(SHAPES, kind);
}

function faultProblems(shape: FaultShape, given: ReadonlyMap<string, unknown>): readonly string[] {
  const checks = new Map(Object.entries({ ...SCOPE, ...shape.fields }));
  const missing = (shape.required ?? [])
    .filter((name) => !given.has(name))
    .map((name) => `${name}: is required`);
  const wrong = [...given]
    .filter(([name]) => name !== 'kind')
    .flatMap(([name, value]) => {
      const check = checks.get(name);
      if (check === undefined) return [`${name}: is not a field of this fault`];
      const problem = check(value);
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
  return [...missing, ...wrong];
}
