import { IntercomError } from './intercom-error.ts';

/** The version that is simulated, and that an app without a version header has here. */
export const API_VERSION = '2.11';

/** Versions that exist. All are answered as {@link API_VERSION} is. */
const KNOWN_VERSIONS: ReadonlySet<string> = new Set([
  ...Array.from({ length: 5 }, (_, minor) => `1.${String(minor)}`),
  ...Array.from({ length: 16 }, (_, minor) => `2.${String(minor)}`),
  'Unstable',
]);

/**
 * Checks the `Intercom-Version` header of a request, which may be absent.
 *
 * @throws IntercomError `intercom_version_invalid`, with status 400.
 */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || KNOWN_VERSIONS.has(version)) return;
  const message = 'The requested version could not be found';
  throw new IntercomError(400, 'intercom_version_invalid', message);
}
