import type { UntypedPage } from '@patchbay/client';
import { printable } from './printable.ts';
import { shellWord } from './shell-word.ts';

/** How the list goes on, as flags; `undefined` at its end, and where it does not go on. */
export function nextPageHint({ nextParams }: UntypedPage): string | undefined {
  const changed = Object.entries(nextParams ?? {});
  if (changed.length === 0) return undefined;
  // What a terminal would obey is no word that people could copy.
  if (changed.some(([, value]) => printable(String(value)) !== String(value)))
    return 'Next page: --all, since its cursor has characters that no terminal shows.';
  const flags = changed.map(([name, value]) => `--param ${shellWord(`${name}=${String(value)}`)}`);
  return `Next page: ${flags.join(' ')}, or --all.`;
}
