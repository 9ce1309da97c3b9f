import {
  ERRORS,
  type ConnectorError,
  type ErrorCode,
  type ErrorGroup,
} from '@patchbay/connectors/definitions';
import { UNSUPPORTED_RUNTIME } from '../runtime.ts';

/** What the command ends with. These never change their meaning. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done; also when the reader of the output has read enough' },
  usage: {
    code: 2,
    meaning: 'the command line, an input file or a setting in the environment is wrong',
  },
  caller: { code: 3, meaning: 'the service refused the request: mend it' },
  operator: { code: 4, meaning: 'credentials, permissions or configuration: mend them' },
  upstream: { code: 5, meaning: 'the upstream failed or refused' },
  internal: { code: 6, meaning: 'something went wrong in Patchbay' },
  wait: { code: 7, meaning: 'not ready, or a rate limit: the same call may work later' },
  unfinished: {
    code: 8,
    meaning: 'the service was told to stop, and what was under way had not ended after 9.5 s',
  },
  database: {
    code: 9,
    meaning: 'the embedded database broke down: see to its disk, then start again',
  },
  runtime: {
    code: UNSUPPORTED_RUNTIME,
    meaning: 'this is an older Node.js than 22.19, Bun or Deno: install Node.js 24',
  },
  interrupted: { code: 130, meaning: 'interrupted by Ctrl-C' },
  terminated: { code: 143, meaning: 'ended by SIGTERM' },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/**
 * How the command ends after an error of the error table: by who can act on it, unless waiting is
 * all there is to do.
 */
export function exitNameOf({ code, retry }: Pick<ConnectorError, 'code' | 'retry'>): ExitName {
  if (retry === 'after' || code === 'not_ready') return 'wait';
  // There is nothing to search, and waiting will not change that.
  if (code === 'search_not_ready') return 'operator';
  return groupOf(code);
}

/** How the command ends after an error of which only the code is known. */
export function exitNameOfCode(code: string): ExitName {
  if (!Object.hasOwn(ERRORS, code)) return 'internal';
  // A key of the table, as just checked.
  const known = code as ErrorCode;
  return exitNameOf({ code: known, retry: ERRORS[known].retry });
}

/** Codes of the server and the store that say that a setting has a wrong value. */
const WRONG_SETTINGS: readonly string[] = ['configuration_invalid', 'database_url_invalid'];

/**
 * How the command ends after an error of the service's start, or of its database. A wrong value of a
 * setting is the same as a wrong option, whichever command reads it.
 */
export function exitNameOfStart(code: string): ExitName {
  return WRONG_SETTINGS.includes(code) ? 'usage' : 'operator';
}

/** The table, for `--help`. */
export function exitCodesHelp(): string {
  const rows = Object.values(EXIT_CODES).map(
    ({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}\n`,
  );
  return `Exit codes:\n${rows.join('')}`;
}

function groupOf(code: ErrorCode): ErrorGroup {
  return ERRORS[code].group;
}
