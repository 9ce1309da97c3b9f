import { Patchbay } from '@patchbay/client';
import type { Profile } from '../profile/profile-file.ts';
import { resolveSettings, type SettingFlags } from '../profile/service-settings.ts';
import type { Terminal } from '../terminal.ts';
import { warnOfClearText } from './warn-of-clear-text.ts';

/** What the flags of a command say of the service, and of calls to it. */
export interface ServiceFlags extends SettingFlags {
  /** Seconds. */
  readonly timeout?: number;
  /** A program reads what is said. */
  readonly json?: true;
}

/** Where a command finds its settings, and tells what its caller should know. */
export interface ConnectPlace {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * The service that flags, environment and profile lead to. Nothing is sent yet.
 *
 * @throws CommandError that says what is missing.
 */
export function connect(
  flags: ServiceFlags,
  place: ConnectPlace,
  access: 'read' | 'write' = 'write',
): Patchbay {
  return new Patchbay({ ...settingsToSend(flags, place), access, ...timeoutOf(flags) });
}

/** As `resolveSettings`, for a command that is about to send the secret. */
export function settingsToSend(
  flags: ServiceFlags,
  { environment, terminal }: ConnectPlace,
): Profile {
  const settings = resolveSettings(flags, environment);
  warnOfSecret(settings.baseUrl, flags, terminal);
  return settings;
}

/** Warns a person where the secret of the application crosses a network in clear. */
export function warnOfSecret(
  baseUrl: string,
  { json }: Pick<ServiceFlags, 'json'>,
  terminal: Terminal,
): void {
  if (json !== true) warnOfClearText('the secret', baseUrl, terminal);
}

/** The longest time of a call, as the client and single requests take it. */
export function timeoutOf({ timeout }: Pick<ServiceFlags, 'timeout'>): {
  readonly timeoutMs?: number;
} {
  return timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
}
