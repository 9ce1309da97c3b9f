import {
  ConnectorError,
  ERRORS,
  faultsOf,
  isConnectorError,
  type Fault,
} from '@patchbay/connectors';
import { checkMembers, faultsText, invalidRequest } from '@patchbay/connectors/engine';
import { isStorable } from '@patchbay/store';
import { countCodePoints } from '../code-points.ts';
import { isVisible } from '../visible-text.ts';
import { namedFieldOf, namingFault } from './naming-fault.ts';

type Members = Parameters<typeof checkMembers>[0];
type Input = Readonly<Record<string, unknown>>;

/**
 * Members that later clients send and that change nothing here.
 *
 * @see docs/wire.md#bodies
 */
const IGNORED: ReadonlySet<string> = new Set([
  'intent',
  'skip_truncation',
  'entities',
  'source_template_id',
  'selected_connection_template_tags',
  'option_title',
]);

interface CollectedError {
  readonly error: ConnectorError;
  readonly field: string | undefined;
}

/** Gathers what is wrong with an input, so that all of it goes out in one error. */
export class FaultList {
  readonly #faults: Fault[] = [];
  readonly #errors: CollectedError[] = [];
  /** The names that members were sent by, where those are not their own. */
  readonly #sentAs = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#faults.length === 0 && this.#errors.length === 0;
  }

  add(...faults: readonly Fault[]): void {
    for (const fault of faults) this.#faults.push(fault);
  }

  /** Whether something is wrong with a member, so that nothing is to be said of its absence. */
  has(field: string): boolean {
    return this.#faults.some((fault) => fault.field === field);
  }

  /** Faults of a member are told by the name that it was sent by. */
  isSentAs(member: string, name: string): void {
    this.#sentAs.set(member, name);
  }

  /**
   * Runs a check that throws faults of its own code; `undefined` when it did.
   *
   * @param field What an error about a single name is about, where that is not the member of its own.
   */
  collect<T>(check: () => T, field?: string): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!isConnectorError(error)) throw error;
      this.#errors.push({ error, field });
      return undefined;
    }
  }

  /** Runs a check whose errors count as far as they say that the input is wrong, whatever else stands in the way. */
  collectInvalid(check: () => unknown): void {
    try {
      check();
    } catch (error) {
      if (!isConnectorError(error)) throw error;
      if (ERRORS[error.code].status === 422) this.#errors.push({ error, field: undefined });
    }
  }

  /**
   * @throws The one error of a check where nothing else is wrong; otherwise `invalid_request`
   * with every fault.
   */
  throwAny(): void {
    if (this.isEmpty) return;
    const [only] = this.#errors;
    if (only !== undefined && this.#errors.length === 1 && this.#faults.length === 0)
      throw this.#errorAsSent(withFaults(only));
    const faults = [...this.#faults, ...this.#errors.flatMap(faultsOfAny)];
    throw invalidRequest(distinct(faults).map((fault) => this.#asSent(fault)));
  }

  /** With the name in place of its own, also where a member of it is what is wrong. */
  #asSent(fault: Fault): Fault {
    const [member = '', ...rest] = fault.field.split('.');
    const name = this.#sentAs.get(member);
    return name === undefined ? fault : { ...fault, field: [name, ...rest].join('.') };
  }

  #errorAsSent(error: ConnectorError): ConnectorError {
    const faults = faultsOf(error);
    const sent = faults.map((fault) => this.#asSent(fault));
    if (faults.every((fault, index) => fault === sent[index])) return error;
    const { code, details, retry, cause } = error;
    const withThem: ConnectorError['details'] = Object.assign({}, details, { faults: sent });
    const message = error.message.replace(faultsText(faults), () => faultsText(sent));
    return new ConnectorError(code, withThem, { message, retry, cause });
  }
}

/** Checks the members of a body strictly, but for those that later clients send. */
export function checkBody(
  declared: Members,
  input: Input,
  faults: FaultList,
): Readonly<Record<string, unknown>> {
  const isIgnored = (name: string) => IGNORED.has(name) && !Object.hasOwn(declared, name);
  const known = Object.keys(input).some(isIgnored)
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !isIgnored(name)))
    : input;
  const checked = checkMembers(declared, known, '');
  faults.add(...checked.faults);
  return checked.values;
}

/** Members that have other names, too. */
export const SYNONYMS = {
  external_user_id: ['customer_name', 'workspace_name'],
  config: ['environment'],
  definition_id: ['connector_definition_id'],
} as const;

/**
 * Puts the value of synonyms under their canonical name; `null` ones are absent. Different values
 * are a fault.
 */
export function unifySynonyms(
  input: Input,
  canonical: keyof typeof SYNONYMS,
  faults: FaultList,
): Input {
  const synonyms: readonly string[] = SYNONYMS[canonical];
  const given = [canonical, ...synonyms].filter(
    (name) => Object.hasOwn(input, name) && (input[name] ?? null) !== null,
  );
  const [first, ...others] = given;
  if (first !== undefined && first !== canonical) faults.isSentAs(canonical, first);
  const rest = Object.entries(input).filter(
    ([name]) => name !== canonical && !synonyms.includes(name),
  );
  if (first === undefined) return Object.fromEntries(rest);
  for (const other of others)
    if (JSON.stringify(input[other]) !== JSON.stringify(input[first]))
      faults.add({
        field: other,
        errorCode: 'conflict',
        message: `says something else than ${first}`,
      });
  return Object.fromEntries([...rest, [canonical, input[first]]]);
}

export const MAX_EXTERNAL_USER = 4_096;
export const MAX_NAME = 255;

/** What is wrong with an external user id, once it is a string. */
export function externalUserFaults(value: unknown): readonly Fault[] {
  return textFaults('external_user_id', value, MAX_EXTERNAL_USER);
}

/** What is wrong with a connector name, once it is a string. */
export function nameFaults(value: unknown): readonly Fault[] {
  return labelFaults('name', value);
}

/** Something that is more than a blank, a mark without a letter, or a filler that fonts draw as nothing. */
const SEEN = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u;

/** What is wrong with a text that a page shows to people, once it is a string. */
export function labelFaults(field: string, value: unknown, maxLength = MAX_NAME): readonly Fault[] {
  const faults = textFaults(field, value, maxLength);
  if (typeof value !== 'string' || faults.length > 0) return faults;
  if (!isVisible(value)) {
    const message = 'must be one line of text without control characters';
    return [{ field, errorCode: 'not_allowed', message }];
  }
  if (SEEN.test(value)) return [];
  return [{ field, errorCode: 'not_allowed', message: 'must have a character that can be seen' }];
}

function textFaults(field: string, value: unknown, maxLength: number): readonly Fault[] {
  if (typeof value !== 'string') return [];
  const length = value.length > 2 * maxLength ? Infinity : countCodePoints(value);
  const expects = `a string of 1 to ${maxLength.toLocaleString('en')} characters`;
  if (length === 0 || length > maxLength)
    return [{ field, errorCode: 'out_of_range', message: `must be ${expects}`, allowed: expects }];
  if (isStorable(value)) return [];
  const message = 'must hold neither NUL nor half of a surrogate pair';
  return [{ field, errorCode: 'not_allowed', message }];
}

/** The faults of an error; one that is about a single name becomes a fault itself. */
function faultsOfAny({ error, field }: CollectedError): readonly Fault[] {
  const faults = faultsOf(error);
  return faults.length > 0 ? faults : [namingFault(error, field)];
}

/** The error with the name that it is about as its fault, where it has none. */
function withFaults(collected: CollectedError): ConnectorError {
  const { error, field } = collected;
  const { code, details, message, retry, cause } = error;
  const isAboutName = field !== undefined || namedFieldOf(code) !== undefined;
  if (!isAboutName || faultsOf(error).length > 0) return error;
  const faults = faultsOfAny(collected);
  const withThem: ConnectorError['details'] = Object.assign({ faults }, details);
  return new ConnectorError(code, withThem, { message, retry, cause });
}

/** Several kinds may find the same fault. */
function distinct(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.field} ${fault.message}`, fault])).values()];
}
