import { Type } from 'typebox';
import type { Fault } from '@patchbay/connectors';
import {
  MAX_URL,
  readAllowedOrigin,
  readAllowedReturnUrl,
  type AllowedEntry,
} from '@patchbay/connectors/wire';
import type { ApplicationChange } from '@patchbay/store';
import { checkBody, FaultList, labelFaults, MAX_NAME } from './input.ts';

/** Most origins, and most return URLs, of an application. */
export const MAX_ALLOWED_URLS = 100;
/** As much as `PATCHBAY_RATE_LIMIT` takes. */
export const MAX_RATE_LIMIT = 10_000_000;

const URLS = {
  schema: Type.Array(Type.String(), { maxItems: MAX_ALLOWED_URLS }),
  isRequired: false,
  expects: `an array of at most ${MAX_ALLOWED_URLS} strings`,
};

const MEMBERS = {
  name: {
    schema: Type.String(),
    isRequired: false,
    expects: `a string of 1 to ${MAX_NAME} characters`,
  },
  allowed_origins: URLS,
  allowed_return_urls: URLS,
  rate_limit: {
    schema: Type.Integer({ minimum: 0, maximum: MAX_RATE_LIMIT }),
    isRequired: false,
    expects: `an integer from 1 to ${MAX_RATE_LIMIT}, or 0 for the limit of the service`,
  },
} as const;

type Json = Readonly<Record<string, unknown>>;

/**
 * Checks what is to change of an application.
 *
 * @throws `invalid_request` with every fault.
 */
export function checkApplicationChange(body: Json): ApplicationChange {
  const faults = new FaultList();
  const change = changeOf(checkBody(MEMBERS, body, faults), faults);
  faults.throwAny();
  return change;
}

/**
 * Checks an application that is to be made.
 *
 * @throws as `checkApplicationChange`.
 */
export function checkNewApplication(body: Json): ApplicationChange & { readonly name: string } {
  const faults = new FaultList();
  const members = { ...MEMBERS, name: { ...MEMBERS.name, isRequired: true } };
  const { name = '', ...rest } = changeOf(checkBody(members, body, faults), faults);
  faults.throwAny();
  return { name, ...rest };
}

function changeOf(values: Json, faults: FaultList): ApplicationChange {
  const { name, allowed_origins: origins, allowed_return_urls: urls, rate_limit: limit } = values;
  faults.add(...labelFaults('name', name));
  const allowedOrigins = listOf('allowed_origins', origins, { read: readAllowedOrigin, faults });
  const allowedReturnUrls = listOf('allowed_return_urls', urls, {
    read: readAllowedReturnUrl,
    faults,
  });
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins }),
    ...(allowedReturnUrls === undefined ? {} : { allowedReturnUrls }),
    ...(typeof limit === 'number' ? { callsPerMinute: limit === 0 ? null : limit } : {}),
  };
}

/** The entries as browsers write them, each once; `undefined` where no list was given. */
function listOf(
  field: string,
  list: unknown,
  { read, faults }: { readonly read: (text: string) => AllowedEntry; readonly faults: FaultList },
): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const values = new Set<string>();
  for (const [index, text] of list.map(String).entries()) {
    const entry = read(text);
    if ('value' in entry) values.add(entry.value);
    else faults.add(wrongEntry(`${field}.${index}`, text, entry.expects));
  }
  return [...values];
}

function wrongEntry(field: string, text: string, expects: string): Fault {
  if (text.length <= MAX_URL)
    return { field, errorCode: 'not_allowed', message: `must be ${expects}`, allowed: expects };
  const allowed = `at most ${MAX_URL.toLocaleString('en')} characters`;
  return { field, errorCode: 'out_of_range', message: `must have ${allowed}`, allowed };
}
