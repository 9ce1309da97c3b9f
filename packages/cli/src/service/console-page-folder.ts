import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where the web console is once it is built, as it is in the published package; `undefined` where the package
 * is not installed.
 */
export function consolePageFolder(): string | undefined {
  try {
    return dirname(fileURLToPath(import.meta.resolve('@patchbay/console/index.html')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      return undefined;
    throw error;
  }
}
