import type { FoundApplication, FoundSettings } from '../profile/service-settings.ts';

type Source = FoundSettings['address']['from'] | FoundApplication['from'];

/** Where a setting may be given. */
interface Setting {
  readonly flag: string;
  readonly variable: string;
}

const ADDRESS = { flag: '--base-url', variable: 'PATCHBAY_BASE_URL' } as const;
// The secret goes with the id, and neither has a flag.
const APPLICATION = { flag: '', variable: 'PATCHBAY_CLIENT_ID' } as const;
const EXTERNAL_USER = {
  flag: '--external-user',
  variable: 'PATCHBAY_EXTERNAL_USER_ID',
} as const;

/** Settings with who says them, as a person would look for it: `http://… (PATCHBAY_BASE_URL)`. */
export function sourcedSettings(settings: FoundSettings): {
  readonly service: string;
  readonly clientId: string | undefined;
  readonly externalUser: string | undefined;
} {
  const { address, application, externalUser, profile } = settings;
  const told = (value: string, from: Source, setting: Setting) =>
    `${value} (${sourceText(from, setting, profile)})`;
  return {
    service: told(address.baseUrl, address.from, ADDRESS),
    clientId: application && told(application.clientId, application.from, APPLICATION),
    externalUser: externalUser && told(externalUser.id, externalUser.from, EXTERNAL_USER),
  };
}

function sourceText(
  from: Source,
  { flag, variable }: Setting,
  profile: string | undefined,
): string {
  switch (from) {
    case 'flag':
      return flag;
    case 'environment':
      return variable;
    case 'profile':
      return `profile ${profile}`;
    case 'file':
      return 'of the service that was started in this folder';
    case 'default':
      return 'the usual one';
  }
}
