import { Patchbay } from '@patchbay/client';
import { resolveSettings, type SettingFlags } from '../profile/service-settings.ts';

/** What the flags of a command say of the service, and of calls to it. */
export interface ServiceFlags extends SettingFlags {
  /** Seconds. */
  readonly timeout?: number;
}

/**
 * The service that flags, environment and profile lead to. Nothing is sent yet.
 *
 * @throws CommandError that says what is missing.
 */
export function connect(
  flags: ServiceFlags,
  environment: NodeJS.ProcessEnv,
  access: 'read' | 'write' = 'write',
): Patchbay {
  return new Patchbay({ ...resolveSettings(flags, environment), access, ...timeoutOf(flags) });
}

/** The longest time of a call, as the client and single requests take it. */
export function timeoutOf({ timeout }: Pick<ServiceFlags, 'timeout'>): {
  readonly timeoutMs?: number;
} {
  return timeout === undefined ? {} : { timeoutMs: timeout * 1_000 };
}
