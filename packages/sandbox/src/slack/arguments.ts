import type { IncomingRequest } from '../upstream.ts';
import { invalidArguments, SlackError } from './slack-error.ts';

/** The arguments of a call, by name, as they came: text from forms, any JSON from JSON bodies. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Arguments, with the warnings that Slack gives about how they were sent. */
export interface ReadArguments {
  readonly args: Arguments;
  readonly warnings: readonly string[];
}

/** The largest page, the same in every method. */
const MAX_LIMIT = 1_000;

/**
 * Reads the arguments of a request: the query's, overridden by the body's. A JSON body counts only
 * for methods that take one; the others ignore it, as Slack does.
 *
 * @throws SlackError `invalid_post_type`, `missing_post_type`, `invalid_charset`, `invalid_json`,
 *   `json_not_object` or `invalid_form_data`.
 * @see https://docs.slack.dev/apis/web-api/
 */
export function readArguments(request: IncomingRequest, takesJson: boolean): ReadArguments {
  const query = request.query === '' ? {} : readForm(request.query);
  if (request.body.length === 0) return { args: query, warnings: [] };
  if (request.contentType === undefined) throw new SlackError('missing_post_type');
  const [type = '', ...parameters] = request.contentType.split(';').map((part) => part.trim());
  const charset = parameters
    .map((parameter) => /^charset="?([^"]*)"?$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  const text = decode(request.body, charset);
  switch (type.toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return {
        args: { ...query, ...readForm(text) },
        warnings: charset === undefined ? [] : ['superfluous_charset'],
      };
    case 'application/json':
      return {
        args: takesJson ? { ...query, ...readJson(text) } : query,
        warnings: charset === undefined ? ['missing_charset'] : [],
      };
    case 'multipart/form-data':
      // Refusing this is a choice of ours: none of the simulated methods takes a file.
      throw new SlackError('invalid_form_data');
    default:
      throw new SlackError('invalid_post_type');
  }
}

/** The token that a form carries; one in a query or in JSON does not count. */
export function formToken(request: IncomingRequest): string | undefined {
  const isForm = request.contentType?.toLowerCase().startsWith('application/x-www-form') ?? false;
  if (!isForm || request.body.length === 0) return undefined;
  return new URLSearchParams(request.body.toString('utf8')).get('token') ?? undefined;
}

/** Refuses a call that lacks required arguments, naming all of them. */
export function requireArguments(args: Arguments, names: readonly string[]): void {
  const missing = names.filter((name) => args[name] === undefined || args[name] === null);
  if (missing.length === 0) return;
  throw invalidArguments(missing.map((name) => `missing required field: ${name}`));
}

/** An argument as text; undefined when it is absent or null. Lists and objects are refused. */
export function textArgument(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidArguments([`must be a string [json-pointer:/${name}]`]);
}

/** True for any of the spellings of yes that Slack takes; false for anything else. */
export function flagArgument(args: Arguments, name: string): boolean {
  const value = args[name];
  return value === true || value === 'true' || value === 1 || value === '1' || value === 't';
}

/**
 * The page size asked for; undefined when none was, or 0, which Slack takes as none.
 *
 * @throws SlackError `invalid_limit` for what is no whole number from 0 to `most`.
 */
export function limitArgument(args: Arguments, most = MAX_LIMIT): number | undefined {
  const text = textArgument(args, 'limit');
  if (text === undefined || text === '') return undefined;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit <= most)) throw new SlackError('invalid_limit');
  return limit === 0 ? undefined : limit;
}

/**
 * A list of objects, which JSON gives as an array and a form as the JSON text of one.
 *
 * @throws SlackError with `code` when it is neither, or an item is no object.
 */
export function listArgument(
  args: Arguments,
  name: string,
  code: string,
): readonly Readonly<Record<string, unknown>>[] | undefined {
  const given = args[name];
  if (given === undefined || given === null || given === '') return undefined;
  const value = typeof given === 'string' ? parseJson(given, code) : given;
  if (!Array.isArray(value)) throw new SlackError(code);
  return value.map((item: unknown) => {
    if (!isObject(item)) throw new SlackError(code);
    return item;
  });
}

function readForm(text: string): Arguments {
  return Object.fromEntries(new URLSearchParams(text));
}

function readJson(text: string): Arguments {
  const value = parseJson(text, 'invalid_json');
  if (!isObject(value)) throw new SlackError('json_not_object');
  return value;
}

function parseJson(text: string, code: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new SlackError(code);
    throw error;
  }
}

function decode(body: Buffer, charset: string | undefined): string {
  switch ((charset ?? 'utf-8').toLowerCase()) {
    case 'utf-8':
    case 'utf8':
      return body.toString('utf8');
    case 'iso-8859-1':
      return body.toString('latin1');
    default:
      throw new SlackError('invalid_charset');
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
