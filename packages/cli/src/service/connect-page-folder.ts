import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the connect page is once it is built, as it is in the published package. */
export function connectPageFolder(): string {
  return dirname(fileURLToPath(import.meta.resolve('@patchbay/connect/index.html')));
}
