import {
  checkOptionNames,
  checkOptions,
  systemClock,
  wrongOptions,
  type Clock,
  type Fault,
} from '@patchbay/connectors/definitions';
import type { TokenOwner } from './application-login.ts';
import type { GetToken } from './given-tokens.ts';
import { isBrowser, type Globals } from './globals.ts';

interface CommonOptions {
  /**
   * The address of the service, for example `https://patchbay.example.com`; `PATCHBAY_BASE_URL`
   * by default.
   */
  readonly baseUrl?: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** Longest time of a call that states none; 60,000 ms by default. */
  readonly timeoutMs?: number;
}

/**
 * On behalf of one external user, with the credentials of an application. What is left out is read
 * from the environment. For servers: a browser is no place for a secret.
 */
export interface ApplicationOptions extends CommonOptions {
  /** `PATCHBAY_CLIENT_ID` by default. */
  readonly clientId?: string;
  /** `PATCHBAY_CLIENT_SECRET` by default. */
  readonly clientSecret?: string;
  /** Whose connectors: 1 to 4,096 characters. `PATCHBAY_EXTERNAL_USER_ID` by default. */
  readonly externalUserId?: string;
  /** `write` (default), or `read`: then no call can change anything. */
  readonly access?: 'read' | 'write';
  readonly token?: never;
}

/** With scoped tokens that somebody else gets, as in a browser the backend of the page does. */
export interface TokenOptions extends CommonOptions {
  /**
   * Gets a scoped token, which says whose connectors they are and what may be done. Called with
   * the first call, and again when the service refuses the token: it must then bring a new one.
   */
  readonly token: GetToken;
  readonly clientId?: never;
  readonly clientSecret?: never;
  readonly externalUserId?: never;
  readonly access?: never;
}

/** Where the service is, and on whose behalf it is called. */
export type PatchbayOptions = ApplicationOptions | TokenOptions;

/** Options that make sense, with nothing left to default. */
export interface ResolvedOptions {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly caller: TokenOwner | { readonly getToken: GetToken };
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** The environment variables that stand for options left out. */
const VARIABLES = {
  baseUrl: 'PATCHBAY_BASE_URL',
  clientId: 'PATCHBAY_CLIENT_ID',
  clientSecret: 'PATCHBAY_CLIENT_SECRET',
  externalUserId: 'PATCHBAY_EXTERNAL_USER_ID',
} as const;

/** All of them, for callers without types. */
const OPTIONS: Readonly<Record<keyof ApplicationOptions | keyof TokenOptions, true>> = {
  baseUrl: true,
  fetch: true,
  clock: true,
  timeoutMs: true,
  clientId: true,
  clientSecret: true,
  externalUserId: true,
  access: true,
  token: true,
};

const SETTINGS = ['baseUrl', 'clientId', 'clientSecret', 'externalUserId'] as const;
const OF_AN_APPLICATION = ['clientId', 'clientSecret', 'externalUserId', 'access'] as const;

type Setting = keyof typeof VARIABLES;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Fills options up from the environment. A browser has none, whatever bundlers put there.
 *
 * @throws `invalid_config` with every fault; tells no value, since one is a secret.
 */
export function resolveOptions(options: PatchbayOptions, globals: Globals): ResolvedOptions {
  checkOptionNames(options, Object.keys(OPTIONS));
  const isInBrowser = isBrowser(globals);
  const environment = isInBrowser ? undefined : globals.process?.env;
  const given: Given = { ...options };
  const usesToken = isInBrowser || isGiven(given['token']);
  const names: readonly Setting[] = usesToken ? ['baseUrl'] : SETTINGS;
  const texts = Object.fromEntries(names.map((name) => [name, textOf(name, given, environment)]));
  const faults = [
    ...names.flatMap((name) => textFaults(name, texts[name], environment)),
    ...(usesToken ? tokenFaults(given, isInBrowser) : accessFaults(given)),
  ];
  throwAny(faults);
  // Without a fault, the texts that were asked for are there.
  const { baseUrl, ...owner } = texts as Readonly<Record<Setting, string>>;
  const { access = 'write', clock = systemClock, timeoutMs, token: getToken } = options;
  // The library's base URLs may have places for config in braces; here they are a fault.
  checkOptions({ baseUrl: /[{}]/.test(baseUrl) ? '' : baseUrl, timeoutMs });
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    // Called without a receiver, as browsers demand.
    fetch: options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args)),
    clock,
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    caller: typeof getToken === 'function' ? { getToken } : { ...owner, access },
  };
}

/** Options as callers without types may give them. */
type Given = Readonly<Record<string, unknown>>;

/** Variables are read only where they are needed: some runtimes ask the user for each. */
function textOf(name: Setting, given: Given, environment: Environment | undefined): unknown {
  return given[name] ?? (environment?.[VARIABLES[name]] || undefined);
}

function textFaults(
  name: Setting,
  text: unknown,
  environment: Environment | undefined,
): readonly Fault[] {
  if (typeof text === 'string' && text !== '') return [];
  if (text !== undefined) return [fault(name, 'not_allowed', 'must be a non-empty string')];
  const orVariable = environment === undefined ? '' : `, or set ${VARIABLES[name]}`;
  return [fault(name, 'missing', `is missing: give it${orVariable}`)];
}

function accessFaults({ access }: Given): readonly Fault[] {
  if (!isGiven(access) || access === 'read' || access === 'write') return [];
  return [fault('access', 'not_allowed', 'must be "read" or "write"')];
}

function tokenFaults(given: Given, isInBrowser: boolean): readonly Fault[] {
  const beside = OF_AN_APPLICATION.filter((name) => isGiven(given[name]));
  return [
    ...(typeof given['token'] === 'function'
      ? []
      : [fault('token', 'missing', 'must be a function that brings a scoped token')]),
    ...beside.map((name) =>
      isInBrowser && name === 'clientSecret'
        ? fault(
            name,
            'not_allowed',
            'must not be in a browser, where everyone can read it; instead, have token get scoped tokens from your own backend',
          )
        : fault(name, 'conflict', 'cannot stand beside token, which says who calls and for whom'),
    ),
  ];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function throwAny(faults: readonly Fault[]): void {
  if (faults.length > 0) throw wrongOptions(faults);
}

function fault(field: string, errorCode: Fault['errorCode'], message: string): Fault {
  return { field, errorCode, message };
}
