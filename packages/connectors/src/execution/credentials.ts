import { MAX_TOLD } from '../check-members.ts';
import { isJsonObject } from '../json-value.ts';
import { ConnectorError, faultsText, type Fault } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import type { AuthMethod, ConnectorKind } from '../vocabulary/index.ts';
import { Secret } from './secret.ts';

/** Credentials that fit exactly one auth method of a kind. */
export interface CheckedCredentials {
  /** Name of the method. */
  readonly method: string;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Gives the credentials for one attempt, asked for right before it goes out: they may be renewed while a
 * connector lives. An answer that is there already comes as it is, not as a promise; one that takes
 * waiting heeds the signal, which aborts at the call's deadline.
 *
 * @param refused Those that the upstream has just refused. Where there are no others in their place,
 * the same object comes back.
 * @throws NoCredentialsError
 */
export type Authorize = (
  signal: AbortSignal,
  refused?: CheckedCredentials,
) => CheckedCredentials | Promise<CheckedCredentials>;

/** There are no credentials to sign a request with; nothing has been sent. */
export class NoCredentialsError extends Error {
  override readonly name = 'NoCredentialsError';
  readonly code: 'credentials_rejected' | 'upstream_unavailable';

  /**
   * @param code `credentials_rejected` where a person has to give others; `upstream_unavailable` where
   * they could not be renewed yet.
   */
  constructor(code: NoCredentialsError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Characters of one value: more would not fit into the headers that servers take. */
export const MAX_CREDENTIAL = 8_192;

/** What a bearer token must consist of, since it travels in an HTTP header. */
export const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
const BEYOND_ASCII = /[\u0080-\u{10ffff}]/u;

/**
 * Finds the auth method whose fields the given credentials have. Aliases become canonical names.
 *
 * @throws `invalid_credentials` with every fault; it lists methods and fields, never a value.
 * @see docs/wire.md#create-a-connector
 */
export function checkCredentials(kind: ConnectorKind, given: unknown): CheckedCredentials {
  const faults: Fault[] = [];
  if (!isJsonObject(given))
    throw invalidCredentials(kind, [
      { field: 'credentials', errorCode: 'wrong_type', message: 'must be an object' },
    ]);
  const values = canonicalValues(kind, given, faults);
  const method = methodOf(kind, values);
  if (method === undefined) faults.push(...missingFaults(kind, values));
  else faults.push(...foreignFaults(kind, method, values));
  if (method !== undefined && faults.length === 0)
    faults.push(...valueFaults(kind, method, values));
  if (method === undefined || faults.length > 0) throw invalidCredentials(kind, faults);
  return { method, values };
}

/** The `Authorization` header of checked credentials. */
export function authorizationOf(
  kind: ConnectorKind,
  { method, values }: CheckedCredentials,
): Secret {
  const use = kind.auth[method]?.use;
  if (use === undefined) throw new Error(`${kind.kind} has no auth method "${method}"`);
  if (use.scheme === 'bearer') return new Secret(`Bearer ${values[use.token] ?? ''}`);
  const fill = (template: string) =>
    template.replace(/\{([a-z0-9_]+)\}/g, (_, name: string) => values[name] ?? '');
  const password = fill(use.password);
  const pair = `${fill(use.username)}:${password}`;
  return new Secret(`Basic ${Buffer.from(pair).toString('base64')}`, [pair, password]);
}

function canonicalValues(
  kind: ConnectorKind,
  given: Readonly<Record<string, unknown>>,
  faults: Fault[],
): Record<string, string> {
  const canonical = canonicalNames(kind);
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (faults.length === MAX_TOLD) break;
    const field = `credentials.${name}`;
    const target = canonical.get(name);
    if (target === undefined) {
      const nearest = nearestName(name, canonical.keys());
      const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
      faults.push({
        field,
        errorCode: 'unknown',
        message: `is no credential field of ${kind.kind}${hint}`,
        ...(nearest === undefined ? {} : { didYouMean: nearest }),
      });
    } else if (value === null) {
      continue;
    } else if (typeof value !== 'string' || value === '') {
      faults.push({ field, errorCode: 'wrong_type', message: 'must be a non-empty string' });
    } else if (Object.hasOwn(values, target)) {
      faults.push({ field, errorCode: 'conflict', message: `says "${target}" a second time` });
    } else {
      values[target] = value;
    }
  }
  return values;
}

function canonicalNames(kind: ConnectorKind): Map<string, string> {
  const names = new Map<string, string>();
  for (const { fields } of Object.values(kind.auth))
    for (const [name, { alias }] of Object.entries(fields)) {
      names.set(name, name);
      if (alias !== undefined) names.set(alias, name);
    }
  return names;
}

/**
 * The method whose required fields are all there; of several, the one to which fewest of the others are
 * foreign, then the one that requires most.
 */
function methodOf(
  kind: ConnectorKind,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const foreignTo = ({ fields }: AuthMethod) =>
    Object.keys(values).filter((name) => fields[name] === undefined).length;
  return Object.entries(kind.auth)
    .filter(([, method]) => requiredFields(method).every((name) => Object.hasOwn(values, name)))
    .toSorted(
      ([, a], [, b]) =>
        foreignTo(a) - foreignTo(b) || requiredFields(b).length - requiredFields(a).length,
    )[0]?.[0];
}

function requiredFields(method: AuthMethod): readonly string[] {
  return Object.entries(method.fields)
    .filter(([, { isRequired }]) => isRequired)
    .map(([name]) => name);
}

/** What is missing of the method that is nearest to complete. */
function missingFaults(
  kind: ConnectorKind,
  values: Readonly<Record<string, string>>,
): readonly Fault[] {
  const missingOf = (method: AuthMethod) =>
    requiredFields(method).filter((name) => !Object.hasOwn(values, name));
  const begun = Object.values(kind.auth).filter(
    (method) => missingOf(method).length < requiredFields(method).length,
  );
  const [method] = begun.toSorted((a, b) => missingOf(a).length - missingOf(b).length);
  if (method === undefined)
    return [
      {
        field: 'credentials',
        errorCode: 'missing',
        message: 'must hold the fields of one method',
        allowed: methodsInWords(kind),
      },
    ];
  return missingOf(method).map((name) => ({
    field: `credentials.${name}`,
    errorCode: 'missing',
    message: `is required by the method ${method.label}`,
  }));
}

function foreignFaults(
  kind: ConnectorKind,
  method: string,
  values: Readonly<Record<string, string>>,
): readonly Fault[] {
  const chosen = kind.auth[method];
  return Object.keys(values)
    .filter((name) => chosen?.fields[name] === undefined)
    .map((name) => ({
      field: `credentials.${name}`,
      errorCode: 'conflict',
      message: `belongs to another method than ${chosen?.label ?? method}; give one method's fields`,
    }));
}

function valueFaults(
  kind: ConnectorKind,
  method: string,
  values: Readonly<Record<string, string>>,
): readonly Fault[] {
  const use = kind.auth[method]?.use;
  return Object.entries(values).flatMap(([name, value]): Fault[] => {
    const field = `credentials.${name}`;
    if (value.length > MAX_CREDENTIAL) {
      const allowed = `at most ${MAX_CREDENTIAL.toLocaleString('en')} characters`;
      return [{ field, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed }];
    }
    if (kind.auth[method]?.fields[name]?.isInstant === true && !isInstant(value)) {
      const allowed = 'a UTC date and time written YYYY-MM-DDTHH:mm:ssZ';
      return [{ field, errorCode: 'not_allowed', message: `must be ${allowed}`, allowed }];
    }
    const isToken = use?.scheme === 'bearer' && use.token === name;
    if (isToken ? !HEADER_SAFE.test(value) : CONTROL_CHARACTER.test(value))
      return [
        {
          field,
          errorCode: 'not_allowed',
          message:
            isToken && BEYOND_ASCII.test(value)
              ? 'has characters beyond ASCII, which no such value has: "…", perhaps, where the rest was cut off'
              : 'has characters that no such value has: line breaks, or spaces at an end',
        },
      ];
    return [];
  });
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

function isInstant(value: string): boolean {
  return INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}

function invalidCredentials(
  kind: ConnectorKind,
  faults: readonly Fault[],
): ConnectorError<'invalid_credentials'> {
  const message = `The credentials of ${kind.kind} are wrong: ${faultsText(faults.slice(0, 1))}. ${methodsInWords(kind)}.`;
  return new ConnectorError('invalid_credentials', { faults }, { message });
}

function methodsInWords(kind: ConnectorKind): string {
  const methods = Object.values(kind.auth).map((method) => {
    const names = Object.entries(method.fields).map(([name, { isRequired, alias }]) => {
      const spelled = alias === undefined ? name : `${name} (or ${alias})`;
      return isRequired ? spelled : `optionally ${spelled}`;
    });
    return `${method.label} takes ${names.join(', ')}`;
  });
  return methods.join('; ');
}
