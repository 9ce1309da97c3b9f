import { CommanderError } from 'commander';
import {
  ERRORS,
  faultsOf,
  faultText,
  isConnectorError,
  type ConnectorError,
  type ErrorCode,
  type SearchCause,
} from '@patchbay/connectors/definitions';
import { fileErrorCode } from '../file-error.ts';
import { Interruption } from '../interruption.ts';
import { CommandError } from '../terminal.ts';
import { WhereError } from '../where-expression/where-error.ts';
import { EXIT_CODES, exitNameOf, exitNameOfStart, type ExitName } from './exit-codes.ts';
import { ToldFailure } from './told-failure.ts';
import { jsonText } from './json-text.ts';
import { printableLines } from './printable.ts';

/** How the command ends after a failure, and what it says on `err`. */
export interface Failure {
  readonly exitCode: number;
  /** Empty, or lines with their ends. */
  readonly text: string;
}

/** How a failure is to be told. */
interface FailureStyle {
  /** To a program: one line, `{"error": {"code", "message", …}}`. */
  readonly isJson?: boolean;
  /** Adds the stack where the failure is a bug. */
  readonly showsStack?: boolean;
}

/** Describes a failure, for a person by default. */
export async function describeFailure(
  error: unknown,
  { isJson = false, showsStack = false }: FailureStyle = {},
): Promise<Failure> {
  const {
    exit,
    code,
    message,
    sentence = message,
    hint = '',
    more = {},
  } = await judge(error, showsStack);
  const exitCode = EXIT_CODES[exit].code;
  if (message === '') return { exitCode, text: '' };
  if (isJson) return { exitCode, text: jsonText({ error: { code, message, ...more } }, false) };
  const lines = [`patchbay: ${sentence}`, ...(hint === '' ? [] : [hint])];
  return { exitCode, text: lines.map((line) => `${printableLines(line)}\n`).join('') };
}

interface Verdict {
  readonly exit: ExitName;
  readonly code: string;
  /** Empty where there is nothing to say. */
  readonly message: string;
  /** The same for people, where that differs. */
  readonly sentence?: string;
  /** More lines, for people. */
  readonly hint?: string;
  /** More members, for programs. */
  readonly more?: object;
}

async function judge(error: unknown, showsStack: boolean): Promise<Verdict> {
  if (isConnectorError(error)) return judgeConnectorError(error);
  if (error instanceof WhereError)
    return {
      exit: 'usage',
      code: 'usage',
      message: error.message,
      hint: error.pointed(),
      more: { at: error.at },
    };
  if (error instanceof CommandError)
    return { exit: 'usage', code: 'usage', message: error.message };
  if (error instanceof CommanderError) return judgeCommandLine(error);
  if (error instanceof ToldFailure) return { exit: error.exit, code: error.exit, message: '' };
  if (error instanceof Interruption) {
    const exit = error.signal === 'SIGINT' ? 'interrupted' : 'terminated';
    return { exit, code: exit, message: error.message };
  }
  return await judgeOther(error, showsStack);
}

function judgeConnectorError(error: ConnectorError): Verdict {
  const { code, status, retry, details } = error;
  return {
    exit: exitNameOf(error),
    code,
    message: error.message,
    sentence: sentenceOf(error),
    hint: hintOf(error),
    more: { status, retry, details },
  };
}

/** The message of one fault is a sentence; several faults are lines. */
function sentenceOf(error: ConnectorError): string {
  const { code, message } = error;
  const faults = faultsOf(error);
  if (faults.length < 2) return `${message} (${code})`;
  const lines = faults.map((fault) => `  ${faultText(fault)}`);
  return `${ERRORS[code].summary} (${code})\n${lines.join('\n')}`;
}

/** What to do next about an error, where a command does it. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_ready:
    'Is it running? `patchbay start` starts one here; --base-url, PATCHBAY_BASE_URL or `patchbay login` say where another is.',
  unauthenticated:
    '`patchbay login`, or PATCHBAY_CLIENT_ID and PATCHBAY_CLIENT_SECRET, say which application this is.',
  application_not_found: '`patchbay app list` shows what there is.',
  connector_paused: '`patchbay connector resume` lets its copying go on.',
  connector_disabled: '`patchbay connector enable` lets it answer again.',
  config_required: '`patchbay connector update --config name=value` gives it.',
  credentials_rejected: '`patchbay connector update --credentials` asks for new ones.',
  reauth_required: '`patchbay connector update --credentials` asks for new ones.',
};

/** Where nothing can be searched, by what stands in the way. */
const SEARCH_HINTS: Readonly<Partial<Record<SearchCause, string>>> = {
  paused: '`patchbay connector resume` lets its copying go on.',
  no_worker: '`patchbay start --role worker` starts one, on the database of the service.',
  config_required: '`patchbay connector update --config name=value` gives it.',
  reauth_required: '`patchbay connector update --credentials` asks for new ones.',
};

function hintOf(error: ConnectorError): string {
  if (isConnectorError(error, 'search_not_ready')) {
    const hint = SEARCH_HINTS[error.details.cause];
    // Time alone brings nothing there.
    if (hint !== undefined) return hint;
  }
  const { code, details } = error;
  const { retryAfterSeconds, requestId } = details;
  const lines = [
    ...(retryAfterSeconds === undefined ? [] : [`It may work in ${retryAfterSeconds} s.`]),
    ...(code === 'search_not_ready'
      ? ['`patchbay sync --status --watch` shows how far it is.']
      : []),
    ...(code === 'internal' && requestId !== undefined
      ? [`The log of the service says more: request ${requestId}.`]
      : []),
    // A service that answered is running; where it waits for its database, its log says why.
    code === 'not_ready' && requestId !== undefined
      ? `The log of the service may say more: request ${requestId}.`
      : (HINTS[code] ?? ''),
  ];
  return lines.filter((line) => line !== '').join(' ');
}

/** Which setting the store's errors are about: it knows none by its name. */
const SETTING_HINTS: Readonly<Record<string, string>> = {
  database_url_invalid: 'DATABASE_URL gives it.',
  folder_in_use: 'PATCHBAY_DATA names the data folder, DATABASE_URL a database.',
  folder_not_usable: 'PATCHBAY_DATA names the data folder.',
};

/** Help and version are no failures, though commander throws them. */
function judgeCommandLine({ exitCode, code, message }: CommanderError): Verdict {
  if (exitCode === 0) return { exit: 'ok', code, message: '' };
  // Commander shows the help of a command without its subcommand by itself.
  if (code === 'commander.help') return { exit: 'usage', code, message: '' };
  return {
    exit: 'usage',
    code: 'usage',
    message: message.replace(/^error: /, ''),
    hint: '(patchbay --help tells more)',
  };
}

/** What the machine lacks, by the code of the system's error, and what gives it. */
const LACKS: Readonly<Record<string, string>> = {
  EMFILE:
    'Too many files are open (EMFILE): raise the limit (ulimit -n, or LimitNOFILE of systemd) to 1,024 or more, then start again.',
  ENFILE: 'The machine has too many files open (ENFILE): raise fs.file-max, then start again.',
  ENOSPC: 'The disk is full (ENOSPC): free some space, then start again.',
  EDQUOT: 'The disk quota is used up (EDQUOT): free some space, then start again.',
};

async function judgeOther(error: unknown, showsStack: boolean): Promise<Verdict> {
  // First: what comes next opens files.
  const lack = lackOf(error);
  if (lack !== undefined) return lack;
  // Loaded late: they take longer to load than most commands to run.
  const { ServiceError } = await import('@patchbay/server');
  const { isStoreError } = await import('@patchbay/store');
  if (error instanceof ServiceError || isStoreError(error)) {
    const { code, message } = error;
    return { exit: exitNameOfStart(code), code, message, hint: SETTING_HINTS[code] ?? '' };
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const causedBy = lackOf(cause);
    if (causedBy !== undefined) return causedBy;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    exit: 'internal',
    code: 'internal',
    message: `This is a bug in patchbay: ${String(error)}`,
    hint: showsStack && stack !== undefined ? stack : 'PATCHBAY_DEBUG=1 shows where it is.',
  };
}

function lackOf(error: unknown): Verdict | undefined {
  const code = fileErrorCode(error);
  if (!Object.hasOwn(LACKS, code)) return undefined;
  return { exit: 'operator', code, message: LACKS[code] ?? code };
}
